import test, { type ExecutionContext } from 'ava';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import type { ClientKind } from '../../../domain/oauth/clients/redirect-uri.ts';
import { decide } from '../../support/identity/oauth.ts';
import { api, entitled } from './scene.ts';

const { product, person } = entitled;

// openid-client sends the redirect URI without its query: one with a query is for the other library.
const KINDS: { kind: ClientKind; registered: string[]; plain: string; full: string }[] = [
  {
    kind: 'confidential',
    registered: ['https://app.example/cb', 'https://app.example/cb?a=1'],
    plain: 'https://app.example/cb',
    full: 'https://app.example/cb?a=1',
  },
  {
    kind: 'public',
    registered: ['https://app.example/spa'],
    plain: 'https://app.example/spa',
    full: 'https://app.example/spa',
  },
  {
    kind: 'native',
    registered: ['http://127.0.0.1/callback'],
    plain: 'http://127.0.0.1:50123/callback',
    full: 'http://127.0.0.1:50124/callback',
  },
];

/** Sign-in and consent in a person's browser; where it leads back to. */
async function consentAt(url: URL): Promise<URL> {
  const browser = api.browser();
  const path = url.pathname + url.search;
  await browser.get(path);
  await browser.signIn(person);
  return new URL((await decide(browser, path)).headers.get('location')!);
}

function isProfile(t: ExecutionContext, profile: unknown) {
  t.like(profile, { id: person.id, entitlement: { product_id: product.id, active: true } });
}

for (const { kind, registered, plain, full } of KINDS) {
  for (const withIss of [false, true]) {
    const suffix = withIss ? ' with iss' : '';
    const setUp = async () => {
      const client = await api.seed.client({ product, kind, redirectUris: registered });
      await api.test.query('update oauth_client set sends_iss = $2 where id = $1', [
        client.clientId,
        withIss,
      ]);
      return client;
    };

    test.serial(`openid-client signs a person in: ${kind} client${suffix}`, async (t) => {
      const { clientId, secret } = await setUp();
      const config = await openid.discovery(
        new URL(api.url),
        clientId,
        secret,
        kind === 'confidential' ? openid.ClientSecretBasic(secret) : openid.None(),
        { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
      );
      const verifier = openid.randomPKCECodeVerifier();
      const state = openid.randomState();
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: plain,
        scope: 'identity entitlements',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      });
      const back = await consentAt(url);
      const tokens = await openid.authorizationCodeGrant(config, back, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      });
      t.is(tokens.expires_in, 2_592_000);
      t.is(tokens.refresh_token, undefined);
      const me = new URL(`${api.url}/api/v1/me`);
      const read = () => openid.fetchProtectedResource(config, tokens.access_token, me, 'GET');
      isProfile(t, await (await read()).json());
      await openid.tokenRevocation(config, tokens.access_token);
      t.like(await t.throwsAsync(read()), { status: 401 });
    });

    test.serial(`oauth4webapi signs a person in: ${kind} client${suffix}`, async (t) => {
      const { clientId, secret } = await setUp();
      const insecure = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(api.url);
      const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
      const server = await oauth.processDiscoveryResponse(issuer, discovery);
      const client: oauth.Client = { client_id: clientId };
      const proof = kind === 'confidential' ? oauth.ClientSecretPost(secret) : oauth.None();
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const url = new URL(server.authorization_endpoint!);
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: full,
        response_type: 'code',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }).toString();
      const parameters = oauth.validateAuthResponse(server, client, await consentAt(url), state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        parameters,
        full,
        verifier,
        insecure,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
      const profile = await oauth.protectedResourceRequest(
        tokens.access_token,
        'GET',
        new URL(`${api.url}/api/v1/me`),
        undefined,
        undefined,
        insecure,
      );
      isProfile(t, await profile.json());
      const revoked = await oauth.revocationRequest(
        server,
        client,
        proof,
        tokens.access_token,
        insecure,
      );
      t.is(await oauth.processRevocationResponse(revoked), undefined);
    });
  }
}

test('openid-client understands a refusal of the person and a code that was used', async (t) => {
  const { clientId, secret } = await api.seed.client({ product });
  const config = await openid.discovery(new URL(api.url), clientId, secret, undefined, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const redirect = 'https://app.example/cb';
  const url = openid.buildAuthorizationUrl(config, { redirect_uri: redirect });
  const back = await consentAt(url);
  await openid.authorizationCodeGrant(config, back);
  const error = await t.throwsAsync(openid.authorizationCodeGrant(config, back));
  t.like(error, { error: 'invalid_grant' });
  const browser = api.browser();
  await browser.signIn(person);
  const denied = await decide(browser, url.pathname + url.search, { decision: 'deny' });
  const refusal = openid.authorizationCodeGrant(config, new URL(denied.headers.get('location')!));
  t.like(await t.throwsAsync(refusal), { error: 'access_denied' });
});
