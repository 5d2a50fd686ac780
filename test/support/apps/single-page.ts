import { readFileSync } from 'node:fs';

/** An app without a server of its own: the library runs in the browser, and calls across origins. */
export function singlePageFiles(): Record<string, string> {
  const library = readFileSync(new URL(import.meta.resolve('oauth4webapi')), 'utf8');
  return {
    '/spa':
      '<!doctype html><title>App</title><pre></pre><script type="module" src="/spa.js"></script>',
    '/oauth4webapi.js': library,
    '/spa.js': SCRIPT,
  };
}

const SCRIPT = `
import * as oauth from './oauth4webapi.js';

const insecure = { [oauth.allowInsecureRequests]: true };
const here = new URL(location.href);
const redirectUri = here.origin + '/spa';
const show = (text) => { document.querySelector('pre').textContent = text; };
for (const name of ['issuer', 'client_id']) {
  if (here.searchParams.has(name)) sessionStorage[name] = here.searchParams.get(name);
}
const issuer = new URL(sessionStorage.issuer);
const client = { client_id: sessionStorage.client_id };

async function discover() {
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  return oauth.processDiscoveryResponse(issuer, found);
}

async function begin(server) {
  sessionStorage.verifier = oauth.generateRandomCodeVerifier();
  sessionStorage.state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(sessionStorage.verifier),
    code_challenge_method: 'S256',
    state: sessionStorage.state,
  });
  location.assign(url);
}

async function finish(server) {
  const parameters = oauth.validateAuthResponse(server, client, here, sessionStorage.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server, client, oauth.None(), parameters, redirectUri, sessionStorage.verifier, insecure);
  const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const me = new URL('/api/v1/me', issuer);
  const read = await oauth.protectedResourceRequest(
    access_token, 'GET', me, undefined, undefined, insecure);
  show(await read.text());
}

const isBack = here.searchParams.has('code') || here.searchParams.has('error');
discover().then(isBack ? finish : begin).catch((fault) => show(fault.error ?? String(fault)));
`;
