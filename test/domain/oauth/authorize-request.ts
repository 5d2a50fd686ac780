import test from 'ava';
import {
  decideAuthorize,
  type AuthorizeClient,
  type Parameters,
} from '../../../domain/oauth/authorize-request.ts';

const confidential: AuthorizeClient = {
  id: 'gcl_a',
  kind: 'confidential',
  isFirstParty: false,
  redirectUris: ['https://app.example/cb'],
};
const publicClient: AuthorizeClient = { ...confidential, kind: 'public' };

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const plain = { client_id: ['gcl_a'], redirect_uri: ['https://app.example/cb'] };
const proven = { ...plain, code_challenge: [CHALLENGE], code_challenge_method: ['S256'] };

const decide = (more: Parameters, client: AuthorizeClient | null = confidential) =>
  decideAuthorize({ ...plain, ...more }, client);

test('a plain request of a confidential client is asked about, default scope identity entitlements', (t) => {
  t.deepEqual(decide({}), {
    kind: 'ask',
    request: {
      clientId: 'gcl_a',
      redirectUri: 'https://app.example/cb',
      scopes: ['identity', 'entitlements'],
      state: null,
      challenge: null,
    },
  });
});

const pages: [string, Parameters, AuthorizeClient | null, string][] = [
  ['client_id missing', { client_id: [] }, confidential, 'client_id_missing'],
  ['client_id empty', { client_id: [''] }, confidential, 'client_id_missing'],
  ['client_id repeated', { client_id: ['gcl_a', 'gcl_a'] }, confidential, 'client_id_missing'],
  ['client unknown or disabled', {}, null, 'client_unknown'],
  ['redirect_uri missing', { redirect_uri: [] }, confidential, 'redirect_uri_missing'],
  [
    'redirect_uri repeated',
    { redirect_uri: ['https://app.example/cb', 'https://app.example/cb'] },
    confidential,
    'redirect_uri_missing',
  ],
  [
    'redirect_uri unregistered, even if other parameters are wrong too',
    { redirect_uri: ['https://evil.example/'], response_type: ['token'] },
    confidential,
    'redirect_uri_unregistered',
  ],
  ['a state of 64 kB', { state: ['x'.repeat(65_536)] }, confidential, 'state_too_long'],
];

for (const [title, more, client, reason] of pages) {
  test(`${title}: a page of ours, no redirect`, (t) => {
    t.deepEqual(decide(more, client), { kind: 'page', reason });
  });
}

const redirects: [string, Parameters, AuthorizeClient, string][] = [
  ['response_type token', { response_type: ['token'] }, confidential, 'unsupported_response_type'],
  ['response_type CODE', { response_type: ['CODE'] }, confidential, 'unsupported_response_type'],
  [
    'response_type code token',
    { response_type: ['code token'] },
    confidential,
    'unsupported_response_type',
  ],
  ['response_type twice', { response_type: ['code', 'code'] }, confidential, 'invalid_request'],
  [
    'method plain',
    { ...proven, code_challenge_method: ['plain'] },
    confidential,
    'invalid_request',
  ],
  ['challenge without method', { code_challenge: [CHALLENGE] }, confidential, 'invalid_request'],
  [
    'method without challenge',
    { code_challenge_method: ['S256'] },
    confidential,
    'invalid_request',
  ],
  [
    'challenge of 42 characters',
    { ...proven, code_challenge: [CHALLENGE.slice(1)] },
    confidential,
    'invalid_request',
  ],
  [
    'challenge with a foreign character',
    { ...proven, code_challenge: [`${CHALLENGE.slice(1)}=`] },
    confidential,
    'invalid_request',
  ],
  ['public client without challenge', {}, publicClient, 'invalid_request'],
  ['scope twice', { scope: ['identity', 'identity'] }, confidential, 'invalid_request'],
  ['all scopes unknown', { scope: ['openid email'] }, confidential, 'invalid_scope'],
  ['only mobile from a third party', { scope: ['mobile'] }, confidential, 'invalid_scope'],
];

for (const [title, more, client, error] of redirects) {
  test(`${title}: redirect ${error} with the state`, (t) => {
    const decision = decide({ state: ['s'], ...more }, client);
    t.like(decision, {
      kind: 'redirect',
      error,
      state: 's',
      redirectUri: 'https://app.example/cb',
    });
    if (decision.kind === 'redirect')
      t.regex(decision.description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });
}

test('a repeated state is refused without echoing either', (t) => {
  t.like(decide({ state: ['a', 'b'] }), {
    kind: 'redirect',
    error: 'invalid_request',
    state: null,
  });
});

test('unknown scopes are dropped, entitlements implies identity', (t) => {
  const asked = (scope: string, client = confidential) => {
    const decision = decide({ scope: [scope] }, client);
    return decision.kind === 'ask' ? decision.request.scopes : decision.kind;
  };
  t.deepEqual(asked('identity email'), ['identity']);
  t.deepEqual(asked('entitlements'), ['identity', 'entitlements']);
  t.deepEqual(asked('mobile identity'), ['identity']);
  t.deepEqual(asked('mobile', { ...confidential, isFirstParty: true }), ['mobile']);
});

test('empty parameters count as omitted, unrecognised ones are ignored', (t) => {
  const decision = decide({
    scope: [''],
    response_type: [''],
    state: [''],
    nonce: ['x'],
    foo: ['1', '2'],
  });
  t.like(decision, { kind: 'ask' });
});

test('state is echoed back unchanged', (t) => {
  const state = `${'x&+%='.repeat(400)} é\n`;
  const decision = decide({ state: [state] });
  t.is(decision.kind === 'ask' ? decision.request.state : null, state);
});
