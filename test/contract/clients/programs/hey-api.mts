import { client } from './gatehouse/client.gen.js';
import {
  checkEntitlement,
  exchangeCode,
  getProfile,
  reportUsage,
  revokeToken,
} from './gatehouse/index.js';

const setting = (name: string) => process.env[name] ?? '';

client.setConfig({ baseUrl: setting('GATEHOUSE') });
// The generated client puts `Bearer` or `Basic` in front, as the operation says.
const auth = `${setting('CLIENT_ID')}:${setting('CLIENT_SECRET')}`;
const entitlement = await checkEntitlement({
  auth: setting('GATEHOUSE_KEY'),
  query: { user_id: setting('USER_ID') },
});
const exchanged = await exchangeCode({
  auth,
  body: {
    grant_type: 'authorization_code',
    code: setting('CODE'),
    redirect_uri: setting('REDIRECT_URI'),
  },
});
const token = exchanged.data?.access_token ?? '';
const profile = await getProfile({ auth: token });
const usage = await reportUsage({ auth: token, body: { kind: 'activity' } });
await revokeToken({ auth, body: { token } });
const { response } = await getProfile({ auth: token });

console.log(
  JSON.stringify({
    active: entitlement.data?.active,
    profile: profile.data?.id,
    counted: usage.data?.counted,
    qualifying: usage.data?.qualifying,
    status_after_revocation: response?.status,
  }),
);
