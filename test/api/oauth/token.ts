import test from 'ava';
import { newCredential } from '../../../domain/shared/ids.ts';
import {
  basic,
  exchange,
  newCode,
  postToken,
  type Fields,
  authorizePath,
  decide,
  parametersOf,
} from '../../support/identity/oauth.ts';
import { GRANT, errorOf } from '../../support/identity/token-scene.ts';
import { tokens } from './scene.ts';

const { api, client, publicClient, browser, authorization, formOf, newProven, isAlive, product } =
  tokens;

test.serial('T1 GET is 405 with Allow: POST, and nothing is consumed', async (t) => {
  const code = await newCode(browser, client);
  const query = new URLSearchParams(formOf(code));
  const response = await api.request(`/api/oauth/token?${query}`, { headers: { authorization } });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'OPTIONS, POST');
  t.like(await response.json(), { error: 'method_not_allowed' });
  t.true(await isAlive(code));
});

test.serial('T2 a form or a JSON object works', async (t) => {
  for (const type of ['application/json', 'Application/JSON; charset=utf-8']) {
    const response = await api.request('/api/oauth/token', {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: JSON.stringify({ ...formOf(await newCode(browser, client)), unknown: [1] }),
    });
    t.is(response.status, 200, type);
  }
  t.true(await isAlive(await newCode(browser, client)));
});

test.serial(
  'T2 anything else, broken JSON, array and number values: invalid_request',
  async (t) => {
    const code = await newCode(browser, client);
    const bodies: [string, string | Buffer][] = [
      ['application/json', '{'],
      ['application/json', '[]'],
      ['application/json', 'null'],
      ['application/json', '"x"'],
      ['application/json', ''],
      ['application/json', JSON.stringify({ ...formOf(code), code: [code] })],
      ['application/json', JSON.stringify({ ...formOf(code), code: 5 })],
      ['application/json', JSON.stringify({ ...formOf(code), grant_type: {} })],
      ['application/json', JSON.stringify({ ...formOf(code), redirect_uri: 'a\0b' })],
      ['application/json; charset=latin1', JSON.stringify(formOf(code))],
      ['text/plain', new URLSearchParams(formOf(code)).toString()],
      ['multipart/form-data; boundary=x', '--x--'],
      ['application/x-www-form-urlencoded', Buffer.from([0x63, 0x3d, 0xff])],
      [
        'application/x-www-form-urlencoded',
        `${new URLSearchParams(formOf(code))}&code_verifier=%00`,
      ],
    ];
    for (const [type, body] of bodies) {
      const headers = { authorization, 'content-type': type };
      const response = await api.request('/api/oauth/token', { method: 'POST', headers, body });
      t.is(await errorOf(response), 'invalid_request', `${type} ${body.toString()}`);
    }
    t.is(
      await errorOf(await api.request('/api/oauth/token', { method: 'POST' })),
      'invalid_request',
    );
    t.true(await isAlive(code));
  },
);

test.serial(
  'T3 every answer is JSON with Cache-Control: no-store and Pragma: no-cache',
  async (t) => {
    const answers = [
      await exchange(api, { client, code: await newCode(browser, client) }),
      await exchange(api, { client, code: 'gac_x' }),
      await postToken(api, { fields: GRANT }),
      await api.request('/api/oauth/token'),
      await api.request('/api/oauth/token', { method: 'POST', body: 'x'.repeat(100_000) }),
    ];
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 401, 405, 413],
    );
    for (const { headers } of answers) {
      t.regex(headers.get('content-type')!, /^application\/json/);
      t.is(headers.get('cache-control'), 'no-store');
      t.is(headers.get('pragma'), 'no-cache');
      t.is(headers.get('access-control-allow-origin'), '*');
    }
    t.like(await answers[4]!.json(), { error: 'payload_too_large' });
  },
);

test.serial('T4 the success body has exactly these four keys', async (t) => {
  const response = await exchange(api, { client, code: await newCode(browser, client) });
  const body = (await response.json()) as Record<string, unknown>;
  t.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope']);
  t.regex(body['access_token'] as string, /^gat_[0-9A-Za-z]{49}$/);
  t.like(body, { token_type: 'Bearer', expires_in: 2_592_000, scope: 'identity entitlements' });
});

test.serial(
  'T5 Basic with percent-encoded or raw id and secret, and a secret in the body',
  async (t) => {
    const encode = (text: string) => text.replaceAll('_', '%5F').replaceAll('g', '%67');
    const { clientId, secret } = client;
    const headers = [
      { authorization },
      { authorization: basic(encode(clientId), encode(secret)) },
      { authorization: authorization.replace('Basic', 'basic') },
    ];
    for (const each of headers) {
      const fields = formOf(await newCode(browser, client));
      t.is((await postToken(api, { headers: each, fields })).status, 200);
    }
    const inBody = { client_id: clientId, client_secret: secret };
    const fields = { ...formOf(await newCode(browser, client)), ...inBody };
    t.is((await postToken(api, { fields })).status, 200);
  },
);

const WRONG: [string, { headers?: Fields; fields?: Fields }][] = [
  ['wrong secret', { headers: { authorization: basic(client.clientId, newCredential('gcs_')) } }],
  ['secret of no right form', { headers: { authorization: basic(client.clientId, 'x') } }],
  [
    'unknown client',
    { headers: { authorization: basic('gcl_0123456789012345678901', client.secret) } },
  ],
  ['client that is no id', { headers: { authorization: basic('a\0b', 'x') } }],
  ['Basic without a colon', { headers: { authorization: 'Basic eHg=' } }],
  ['Basic that is no base64', { headers: { authorization: 'Basic %%%' } }],
  ['Basic that does not decode', { headers: { authorization: basic('%FF', '%') } }],
  ['another scheme', { headers: { authorization: `Bearer ${client.secret}` } }],
  ['no client at all', {}],
  ['confidential client without a secret', { fields: { client_id: client.clientId } }],
  [
    'confidential client with an empty one',
    { headers: { authorization: basic(client.clientId, '') } },
  ],
  [
    'public client with a secret',
    { fields: { client_id: publicClient.clientId, client_secret: 'x' } },
  ],
];

test.serial(
  'T6 T16 bad client credentials: 401 invalid_client, one body for all, the code untouched',
  async (t) => {
    const code = await newCode(browser, client);
    const bodies = new Set<string>();
    for (const [title, { headers, fields }] of WRONG) {
      const response = await postToken(api, {
        ...(headers ? { headers } : {}),
        fields: { ...formOf(code), ...fields },
      });
      t.is(response.status, 401, title);
      t.regex(response.headers.get('www-authenticate')!, /^Basic realm="/);
      bodies.add(await response.text());
    }
    t.is(bodies.size, 1);
    t.regex([...bodies][0]!, /"error":"invalid_client"/);
    t.true(await isAlive(code));
  },
);

test.serial(
  'T7 a confidential client with the right verifier but no secret: invalid_client',
  async (t) => {
    const { code, verifier } = await newProven();
    const fields = { ...formOf(code), client_id: client.clientId, code_verifier: verifier };
    t.is(await errorOf(await postToken(api, { fields }), 401), 'invalid_client');
  },
);

test.serial(
  'T8 Basic and a body secret together, or two client ids: invalid_request',
  async (t) => {
    const code = await newCode(browser, client);
    for (const extra of [
      { client_secret: client.secret },
      { client_id: publicClient.clientId },
      { client_id: client.clientId, client_secret: client.secret },
    ] as Fields[]) {
      const response = await exchange(api, { client, code, fields: extra });
      t.is(await errorOf(response), 'invalid_request');
    }
    const same = await exchange(api, { client, code, fields: { client_id: client.clientId } });
    t.is(same.status, 200);
  },
);

test.serial('T9 credentials or a code in the query string are ignored', async (t) => {
  const code = await newCode(browser, client);
  const credentials = { client_id: client.clientId, client_secret: client.secret };
  const path = `/api/oauth/token?${new URLSearchParams({ ...formOf(code), ...credentials })}`;
  t.is(await errorOf(await postToken(api, { path, fields: formOf(code) }), 401), 'invalid_client');
  const response = await postToken(api, { path, headers: { authorization }, fields: GRANT });
  t.is(await errorOf(response), 'invalid_request');
  t.true(await isAlive(code));
});

test.serial(
  'T10 grant_type missing: invalid_request; another: unsupported_grant_type',
  async (t) => {
    const send = async (grantType: string) =>
      errorOf(await exchange(api, { client, code: 'gac_x', fields: { grant_type: grantType } }));
    t.is(await send(''), 'invalid_request');
    for (const other of ['refresh_token', 'password', 'client_credentials', 'AUTHORIZATION_CODE']) {
      t.is(await send(other), 'unsupported_grant_type');
    }
  },
);

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
