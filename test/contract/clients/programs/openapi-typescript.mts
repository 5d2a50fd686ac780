import createClient from 'openapi-fetch';
import type { paths } from './gatehouse.js';

const setting = (name: string) => process.env[name] ?? '';
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const basic = Buffer.from(`${setting('CLIENT_ID')}:${setting('CLIENT_SECRET')}`).toString('base64');
const form = {
  authorization: `Basic ${basic}`,
  'content-type': 'application/x-www-form-urlencoded',
};

const client = createClient<paths>({ baseUrl: setting('GATEHOUSE') });
const entitlement = await client.GET('/api/v1/entitlements', {
  headers: bearer(setting('GATEHOUSE_KEY')),
  params: { query: { user_id: setting('USER_ID') } },
});
const exchanged = await client.POST('/api/oauth/token', {
  headers: form,
  body: {
    grant_type: 'authorization_code',
    code: setting('CODE'),
    redirect_uri: setting('REDIRECT_URI'),
  },
});
const token = exchanged.data?.access_token ?? '';
const profile = await client.GET('/api/v1/me', { headers: bearer(token) });
const usage = await client.POST('/api/v1/usage', {
  headers: bearer(token),
  body: { kind: 'activity' },
});
await client.POST('/api/oauth/revoke', { headers: form, body: { token } });
const { response } = await client.GET('/api/v1/me', { headers: bearer(token) });

console.log(
  JSON.stringify({
    active: entitlement.data?.active,
    profile: profile.data?.id,
    counted: usage.data?.counted,
    qualifying: usage.data?.qualifying,
    status_after_revocation: response.status,
  }),
);
