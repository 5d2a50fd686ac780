import test from 'ava';
import { startApi } from '../../support/http/api.ts';
import { authorizePath, decide, parametersOf } from '../../support/identity/oauth.ts';

const api = await startApi({ limits: { authorize: 100_000 } });
const product = await api.seed.product();
const person = await api.seed.person();
const browser = api.browser();
await browser.signIn(person);
test.after.always(() => api.close());

test('A27 iss, where it is switched on, equals the issuer of the metadata, on errors too', async (t) => {
  const own = await api.seed.client({ product });
  await api.test.query('update oauth_client set sends_iss = true where id = $1', [own.clientId]);
  const metadata = await api.request('/.well-known/oauth-authorization-server');
  const { issuer, ...rest } = (await metadata.json()) as Record<string, unknown>;
  t.false('authorization_response_iss_parameter_supported' in rest, 'not always sent');
  const answers = [
    await decide(browser, authorizePath(own)),
    await decide(browser, authorizePath(own), { decision: 'deny' }),
    await browser.get(authorizePath(own, { response_type: 'token' })),
  ];
  for (const answer of answers) t.is(parametersOf(answer)['iss'], issuer as string);
});

test('A29 the metadata document', async (t) => {
  const response = await api.request('/.well-known/oauth-authorization-server');
  t.is(response.status, 200);
  t.regex(response.headers.get('content-type')!, /^application\/json/);
  t.is(response.headers.get('access-control-allow-origin'), '*');
  t.like(await response.json(), {
    issuer: api.url,
    authorization_endpoint: `${api.url}/oauth/authorize`,
    token_endpoint: `${api.url}/api/oauth/token`,
    revocation_endpoint: `${api.url}/api/oauth/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  });
});
