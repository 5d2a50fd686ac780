import test from 'ava';
import { newCredential } from '../../../domain/platform/ids.ts';
import { startApi } from '../../support/api.ts';
import {
  basic,
  exchange,
  newCode,
  newProof,
  postToken,
  readProfile,
  type Client,
  type Fields,
} from '../../support/oauth.ts';

const api = await startApi({ limits: { authorize: 100_000, token: 100_000 } });
const product = await api.seed.product();
const client = await api.seed.client({ product });
const publicClient = await api.seed.client({ product, kind: 'public' });
const person = await api.seed.person();
const browser = api.browser();
await browser.signIn(person);
test.after.always(() => api.close());

const GRANT = { grant_type: 'authorization_code' };
const authorization = basic(client.clientId, client.secret);
const formOf = (code: string, of: Client = client): Fields => ({
  ...GRANT,
  code,
  redirect_uri: of.redirectUri,
});

async function newProven(of: Client = client) {
  const { verifier, challenge } = newProof();
  const given = { code_challenge: challenge, code_challenge_method: 'S256' };
  return { code: await newCode(browser, of, given), verifier };
}

async function errorOf(response: Response, status = 400): Promise<string> {
  if (response.status !== status) return `status ${response.status}`;
  const { error, error_description: description } = (await response.json()) as Fields;
  // T24: printable ASCII without quotes and backslashes
  if (!/^[\u0020\u0021\u0023-\u005b\u005d-\u007e]+$/.test(description!))
    return `text ${description}`;
  return error!;
}

const isAlive = async (code: string) => (await exchange(api, { client, code })).status === 200;
const aliveAs = async (token: string) => (await readProfile(api, token)).status;
const tokenOf = async (response: Response) =>
  ((await response.json()) as { access_token: string }).access_token;

// One clock for all: those that move it come last.
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

test.serial(
  'T11 code missing: invalid_request; unknown, expired or used: invalid_grant',
  async (t) => {
    t.is(await errorOf(await exchange(api, { client, code: '' })), 'invalid_request');
    const used = await newCode(browser, client);
    t.true(await isAlive(used));
    for (const code of ['gac_x', newCredential('gac_'), used, 'x'.repeat(10_000)]) {
      t.is(await errorOf(await exchange(api, { client, code })), 'invalid_grant');
    }
  },
);

test.serial(
  'T12 a code of another client: invalid_grant, and the rightful client can still use it',
  async (t) => {
    const code = await newCode(browser, client);
    const other = await api.seed.client({ product });
    t.is(await errorOf(await exchange(api, { client: other, code })), 'invalid_grant');
    t.true(await isAlive(code));
  },
);

test.serial('T13 redirect_uri missing or different: invalid_grant', async (t) => {
  const code = await newCode(browser, client);
  for (const uri of ['', 'https://app.example/cb/', 'https://APP.example/cb']) {
    const response = await exchange(api, { client, code, fields: { redirect_uri: uri } });
    t.is(await errorOf(response), 'invalid_grant');
  }
  t.true(await isAlive(code));
});

test.serial(
  'T14 a challenge with a verifier that is missing, wrong or of no right form: invalid_grant',
  async (t) => {
    const { code, verifier } = await newProven();
    for (const wrong of [
      '',
      newProof().verifier,
      verifier.slice(1),
      'x'.repeat(42),
      'x'.repeat(129),
      `${verifier}é`,
    ]) {
      const response = await exchange(api, { client, code, fields: { code_verifier: wrong } });
      t.is(await errorOf(response), 'invalid_grant', wrong);
    }
    const right = await exchange(api, { client, code, fields: { code_verifier: verifier } });
    t.is(right.status, 200);
  },
);

test.serial(
  'T14 a verifier outside of 43 to 128 characters is refused even where its hash fits',
  async (t) => {
    const { createHash } = await import('node:crypto');
    for (const short of ['short', 'ä'.repeat(43), 'x'.repeat(129)]) {
      const challenge = createHash('sha256').update(short).digest('base64url');
      const given = { code_challenge: challenge, code_challenge_method: 'S256' };
      const code = await newCode(browser, client, given);
      const response = await exchange(api, { client, code, fields: { code_verifier: short } });
      t.is(await errorOf(response), 'invalid_grant');
    }
  },
);

test.serial('T15 a verifier where no challenge was stored: invalid_grant', async (t) => {
  const code = await newCode(browser, client);
  const fields = { code_verifier: newProof().verifier };
  t.is(await errorOf(await exchange(api, { client, code, fields })), 'invalid_grant');
});

test.serial(
  'T17 of 8 parallel exchanges one gives 200, seven invalid_grant; the token works',
  async (t) => {
    const { code, verifier } = await newProven();
    const fields = { code_verifier: verifier };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => exchange(api, { client, code, fields })),
    );
    const won = answers.filter(({ status }) => status === 200);
    t.is(won.length, 1);
    for (const lost of answers.filter((answer) => answer !== won[0])) {
      t.is(await errorOf(lost), 'invalid_grant');
    }
    t.is(await aliveAs(await tokenOf(won[0]!)), 200);
  },
);

test.serial(
  'T20 consent revoked or person deleted between code and exchange: invalid_grant',
  async (t) => {
    const leaver = await api.seed.person();
    const visitor = api.browser();
    await visitor.signIn(leaver);
    const revoked = await newCode(visitor, client);
    const action = `/settings/apps/${client.clientId}/revoke`;
    t.is((await visitor.submit('/settings/apps', { action })).status, 303);
    t.is(await errorOf(await exchange(api, { client, code: revoked })), 'invalid_grant');
    const orphaned = await newCode(visitor, client);
    await api.test.query('update person set deleted_at = now() where id = $1', [leaver.id]);
    t.is(await errorOf(await exchange(api, { client, code: orphaned })), 'invalid_grant');
  },
);

test.serial('T21 a repeated form parameter: invalid_request', async (t) => {
  const code = await newCode(browser, client);
  for (const name of ['grant_type', 'code', 'redirect_uri', 'client_id', 'code_verifier']) {
    const body = new URLSearchParams(formOf(code));
    body.append(name, 'x');
    body.append(name, 'x');
    const init = { method: 'POST', headers: { authorization }, body };
    t.is(await errorOf(await api.request('/api/oauth/token', init)), 'invalid_request', name);
  }
  t.true(await isAlive(code));
});

test.serial('T23 a CORS preflight from any origin is allowed, without credentials', async (t) => {
  for (const [path, method] of [
    ['/api/oauth/token', 'POST'],
    ['/api/oauth/revoke', 'POST'],
    ['/api/v1/me', 'GET'],
  ] as const) {
    const { status, headers } = await api.request(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    t.is(status, 204);
    t.is(headers.get('access-control-allow-origin'), '*');
    t.is(headers.get('access-control-allow-methods'), method);
    t.regex(headers.get('access-control-allow-headers')!, /authorization/);
    t.is(headers.get('access-control-allow-credentials'), null);
  }
});

test.serial(
  'T25 a public client proves itself by its verifier; Basic with an empty secret is accepted',
  async (t) => {
    for (const way of ['body', 'basic'] as const) {
      const { code, verifier } = await newProven(publicClient);
      const response = await postToken(api, {
        headers: way === 'basic' ? { authorization: basic(publicClient.clientId, '') } : {},
        fields: {
          ...formOf(code, publicClient),
          code_verifier: verifier,
          ...(way === 'body' ? { client_id: publicClient.clientId } : {}),
        },
      });
      t.is(response.status, 200, way);
    }
  },
);

test.serial('no row is written by a request that is refused', async (t) => {
  const [before] = await api.test.query('select count(*) from access_token');
  await postToken(api, { headers: { authorization }, fields: formOf(newCredential('gac_')) });
  t.deepEqual((await api.test.query('select count(*) from access_token'))[0], before);
});

test.serial('E2 the hash of a token is stored, never the token or the code', async (t) => {
  const code = await newCode(browser, client);
  const token = await tokenOf(await exchange(api, { client, code }));
  for (const table of [
    'access_token',
    'authorization_code',
    'authorize_request',
    'client_secret',
  ]) {
    const stored = JSON.stringify(
      await api.test.query(`select to_jsonb(t)::text as row from ${table} t`),
    );
    t.false(stored.includes(token) || stored.includes(code) || stored.includes(client.secret));
  }
});

test.serial(
  'T18 a replay after the window: invalid_grant, and the token from that code gives 401',
  async (t) => {
    const { code, verifier } = await newProven();
    const fields = { code_verifier: verifier };
    const token = await tokenOf(await exchange(api, { client, code, fields }));
    t.is(await errorOf(await exchange(api, { client, code, fields })), 'invalid_grant');
    t.is(await aliveAs(token), 200, 'a page that renders twice does not lose its token');
    await api.test.advance(11_000);
    t.is(await errorOf(await exchange(api, { client, code, fields })), 'invalid_grant');
    t.is(await aliveAs(token), 401);
  },
);

test.serial('T18 within the window too where the verifier is not right', async (t) => {
  for (const wrong of ['', 'short', newProof().verifier]) {
    const { code, verifier } = await newProven();
    const token = await tokenOf(
      await exchange(api, { client, code, fields: { code_verifier: verifier } }),
    );
    await exchange(api, { client, code, fields: { code_verifier: wrong } });
    t.is(await aliveAs(token), 401, wrong);
  }
});

test.serial('T19 a code works at 299 s and not at 301 s, by the database clock', async (t) => {
  const [young, old] = [await newCode(browser, client), await newCode(browser, client)];
  await api.test.advance(299_000);
  t.true(await isAlive(young));
  await api.test.advance(2_000);
  t.is(await errorOf(await exchange(api, { client, code: old })), 'invalid_grant');
});
