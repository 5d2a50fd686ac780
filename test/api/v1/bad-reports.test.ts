import { gzipSync } from 'node:zlib';
import test from 'ava';
import { DEFAULT_LIMITS } from '../../../api/http/limits.ts';
import { newCredential } from '../../../domain/shared/ids.ts';
import { startApi } from '../../support/http/api.ts';
import { readProfile } from '../../support/identity/oauth.ts';
import { countIn, report } from '../../support/catalog/usage.ts';

const api = await startApi();
const limited = await startApi({ limits: { usage_reports: 2 } });
const product = await api.seed.product();
const { token, personId, clientId } = await api.seed.token({ product });
test.after.always(() => Promise.all([api.close(), limited.close()]));

type Given = { credential?: string; headers?: Record<string, string>; body?: string | Buffer };

function post({ credential = token, headers = {}, body = '{"kind":"activity"}' }: Given) {
  return api.request('/api/v1/usage', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: new Uint8Array(Buffer.from(body)),
  });
}

/** Days with a report; the profile reads of other tests are none. */
async function countDays() {
  const [row] = await api.test.query<{ n: number }>(
    `select count(*)::int as n from usage_month
     where session_days | heartbeat_days | activity_days | key_days <> 0`,
  );
  return row!.n;
}

type Refusal = { title: string; status: number; param?: string; message?: string; given: Given };

const json = (value: unknown) => JSON.stringify(value);
const byKey = (value: unknown): Given => ({ credential: product.liveKey, body: json(value) });
const byToken = (value: unknown): Given => ({ body: json(value) });

const refusals: Refusal[] = [
  ...['use', '', 'ACTIVITY', 'profile_read', null, 1, ['activity'], {}].map((kind) => ({
    title: `kind ${json(kind)}`,
    status: 400,
    param: 'kind',
    given: byToken({ kind }),
  })),
  { title: 'no kind', status: 400, param: 'kind', given: byToken({}) },
  { title: 'no user with a key', status: 400, param: 'user_id', given: byKey({ kind: 'session' }) },
  ...[null, '', 'x', 1, [], {}, `{${personId}}`, personId.replaceAll('-', ''), `${personId} `].map(
    (user) => ({
      title: `user ${json(user)} with a key`,
      status: 400,
      param: 'user_id',
      message: 'user_id: must be given once, as a UUID',
      given: byKey({ kind: 'session', user_id: user }),
    }),
  ),
  ...[personId, null, '', 'x', 0, false].map((user) => ({
    title: `user ${json(user)} with a person token`,
    status: 400,
    param: 'user_id',
    given: byToken({ kind: 'session', user_id: user }),
  })),
  ...['[]', '[{"kind":"activity"}]', 'null', '"activity"', '1', 'true'].map((body) => ({
    title: `a body that is ${body}`,
    status: 400,
    given: { body },
  })),
  ...['', '{', "{'kind':'activity'}", 'kind=activity', '{"kind":"activity"}x'].map((body) => ({
    title: `a body that is no JSON: ${body}`,
    status: 400,
    given: { body },
  })),
  {
    title: 'a body that is no text',
    status: 400,
    given: { body: Buffer.from([0x22, 0xff, 0x22]) },
  },
  ...[
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
  ].map((type) => ({
    title: `type ${type}`,
    status: 415,
    given: { headers: { 'content-type': type } },
  })),
  {
    title: 'a true content encoding',
    status: 415,
    given: { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"kind":"activity"}') },
  },
  {
    title: 'a false content encoding',
    status: 415,
    given: { headers: { 'content-encoding': 'gzip' } },
  },
  {
    title: 'more than 64 KiB',
    status: 413,
    given: byToken({ kind: 'activity', more: 'x'.repeat(65_536) }),
  },
];

const CODES: Record<number, string> = {
  400: 'invalid_request',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

test('a report that is not as it must be is refused, and nothing is written', async (t) => {
  for (const { title, status, param, message, given } of refusals) {
    const response = await post(given);
    t.is(response.status, status, title);
    const body = (await response.json()) as Record<string, unknown>;
    t.is(body['error'], CODES[status], title);
    t.is(body['param'], param, title);
    if (message) t.is(body['message'], message, title);
  }
  await api.usage.close();
  t.is(await countDays(), 0);
});

test('unknown fields are ignored: no custom names or properties are kept', async (t) => {
  const other = await limited.seed.product();
  const own = await limited.seed.token({ product: other });
  const body = { kind: 'activity', name: 'x', properties: { a: 1 }, product_id: product.id };
  const response = await report(limited, own.token, body);
  t.is(response.status, 200);
  t.like(await response.json(), { counted: true, qualifying: true });
});

test('GET is 405; a report costs no read', async (t) => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await api.request('/api/v1/usage', { headers });
  t.is(response.status, 405);
  t.is(response.headers.get('allow'), 'OPTIONS, POST');
  const own = await api.seed.token({ product });
  await post({ credential: own.token, body: '{' });
  t.is(
    await countIn(api, { window: 'usage_reports', credential: own.token }),
    1,
    'also where it is refused',
  );
  t.is(await countIn(api, { window: 'api_reads', credential: own.token }), 0);
});

test('reports have a window of their own: 6,000 a minute and credential', async (t) => {
  t.is(DEFAULT_LIMITS.usage_reports, 6_000);
  t.is((await post({ body: '{' })).headers.get('ratelimit-limit'), '6000');
  const of = await limited.seed.product();
  const [one, two] = [
    await limited.seed.token({ product: of }),
    await limited.seed.token({ product: of }),
  ];
  const answers = [];
  for (let n = 0; n < 5; n += 1)
    answers.push(await report(limited, one.token, { kind: 'session' }));
  const refused = answers.filter(({ status }) => status === 429);
  t.true(refused.length > 0, 'at most two minutes were begun');
  for (const response of refused) {
    t.like(await response.json(), { error: 'rate_limited' });
    t.true(Number(response.headers.get('retry-after')) >= 1);
  }
  t.is((await report(limited, two.token, { kind: 'session' })).status, 200);
  t.is((await readProfile(limited, one.token)).status, 200, 'reads are counted apart');
});

test('no credential, an unknown one or one of a removed product: 401', async (t) => {
  const bare = await api.request('/api/v1/usage', { method: 'POST' });
  t.is(bare.status, 401);
  t.is(bare.headers.get('www-authenticate'), 'Bearer');
  const removed = await api.seed.product();
  const ofRemoved = await api.seed.token({ product: removed });
  await api.test.query(`update product set state = 'removed' where id = $1`, [removed.id]);
  const unknown = ['gat_', 'gk_live_', 'gk_test_'] as const;
  for (const credential of [
    ...unknown.map(newCredential),
    'gk_x',
    'x',
    ofRemoved.token,
    removed.liveKey,
    removed.testKey,
  ]) {
    const response = await post({ credential });
    t.is(response.status, 401, credential.slice(0, 8));
    t.is(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
  }
});

test('the token of a client that was deleted: 404', async (t) => {
  const gone = await api.seed.token({ product });
  t.not(gone.clientId, clientId);
  await api.test.query('update oauth_client set deleted_at = now() where id = $1', [gone.clientId]);
  t.is((await post({ credential: gone.token })).status, 404);
});

test('the token of a client without a product has nothing to report: 403', async (t) => {
  const client = await api.seed.client({ product: null });
  const own = await api.seed.token({ product, clientId: client.clientId, scope: 'mobile' });
  const response = await post({ credential: own.token });
  t.is(response.status, 403);
  t.like(await response.json(), { error: 'forbidden' });
});
