// Two client libraries at work, each as its own documentation tells.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import type { SignIn } from './app.ts';

type Registered = { clientId: string; secret: string; redirectUri: string };
type Setup = { issuer: string; client: Registered };

/** Confidential clients have a secret, the others prove themselves by PKCE. */
export async function signInByOpenidClient({ issuer, client }: Setup): Promise<SignIn> {
  const proof = client.secret ? openid.ClientSecretBasic(client.secret) : openid.None();
  const config = await openid.discovery(new URL(issuer), client.clientId, undefined, proof, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
  const verifiers = new Map<string, string>();
  return {
    async begin() {
      const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
      verifiers.set(state, verifier);
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: client.redirectUri,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      });
    },
    async finish(callback) {
      const expectedState = callback.searchParams.get('state')!;
      const pkceCodeVerifier = verifiers.get(expectedState)!;
      const checks = { expectedState, pkceCodeVerifier };
      const { access_token: token } = await openid.authorizationCodeGrant(config, callback, checks);
      const me = new URL(`${issuer}/api/v1/me`);
      return (await openid.fetchProtectedResource(config, token, me, 'GET')).json();
    },
  };
}

export async function signInByOauth4webapi({ issuer, client }: Setup): Promise<SignIn> {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found);
  const me: oauth.Client = { client_id: client.clientId };
  const proof = client.secret ? oauth.ClientSecretPost(client.secret) : oauth.None();
  const verifiers = new Map<string, string>();
  return {
    async begin() {
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
      verifiers.set(state, verifier);
      const url = new URL(server.authorization_endpoint!);
      url.search = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        response_type: 'code',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }).toString();
      return url;
    },
    async finish(callback) {
      const state = callback.searchParams.get('state')!;
      const parameters = oauth.validateAuthResponse(server, me, callback, state);
      const verifier = verifiers.get(state)!;
      const { redirectUri } = client;
      const answer = await oauth.authorizationCodeGrantRequest(
        server,
        me,
        proof,
        parameters,
        redirectUri,
        verifier,
        insecure,
      );
      const { access_token: token } = await oauth.processAuthorizationCodeResponse(
        server,
        me,
        answer,
      );
      const url = new URL(`${issuer}/api/v1/me`);
      const read = oauth.protectedResourceRequest(
        token,
        'GET',
        url,
        undefined,
        undefined,
        insecure,
      );
      return (await read).json();
    },
  };
}
