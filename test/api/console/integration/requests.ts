import test from 'ava';
import { hashCredential, newCredential } from '../../../../domain/shared/ids.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  basic,
  exchange,
  newCode,
  postToken,
  readProfile,
} from '../../../support/identity/oauth.ts';
import { teams } from './scene.ts';

const { api } = teams;

const BEARER = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } });

async function openProduct() {
  const team = await teams.team(['viewer']);
  const product = await teams.productOf(team);
  const path = `/console/products/${product.slug}/requests`;
  const { browser } = team.members.viewer;
  const read = async (query = '') => (await browser.get(path + query)).text();
  return { product, path, read };
}

test.serial(
  'a usage report of a member of the own team says so in the log, and no other does',
  async (t) => {
    const team = await teams.team(['viewer']);
    const product = await teams.productOf(team);
    const { browser, person } = team.members.viewer;
    const report = async (by: { id: string }) => {
      const { token } = await api.seed.token({ product, person: by });
      const response = await api.request('/api/v1/usage', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'activity' }),
      });
      return response.json();
    };
    t.deepEqual(await report(person), {
      ok: true,
      counted: true,
      qualifying: false,
      test_mode: false,
    });
    await report(await api.seed.person());
    await untilLogged(product.id, 2);
    const page = await (await browser.get(`/console/products/${product.slug}/requests`)).text();
    t.is(page.match(/POST \/usage/g)!.length, 2);
    t.is(page.match(/<small>own team: does not qualify<\/small>/g)!.length, 1);
  },
);

type Row = {
  route: string;
  status: number;
  error_code: string | null;
  param: string | null;
  request_id: string;
  api_key_id: string | null;
  client_id: string | null;
};

const rowsOf = (productId: string) =>
  api.test.query<Row>(
    `select route, status, error_code, param, request_id, api_key_id, client_id
     from api_request where product_id = $1 order by id`,
    [productId],
  );

const untilLogged = (productId: string, count: number) =>
  eventually(
    () => rowsOf(productId),
    (rows) => rows.length >= count,
  );

const keyIdOf = async (key: string) => {
  const [row] = await api.test.query<{ id: string }>('select id from api_key where key_hash = $1', [
    hashCredential(key),
  ]);
  return row!.id;
};

test.serial(
  'requests of a key stand in the log with status, error and request id, and nothing of their contents',
  async (t) => {
    const { product, read } = await openProduct();
    const person = await api.seed.person();
    const good = await api.request(
      `/api/v1/entitlements?user_id=${person.id}`,
      BEARER(product.liveKey),
    );
    await untilLogged(product.id, 1);
    const bad = await api.request(
      '/api/v1/entitlements?user_id=tell-nobody',
      BEARER(product.testKey),
    );
    await untilLogged(product.id, 2);
    const usage = await api.request('/api/v1/usage', {
      method: 'POST',
      headers: { ...BEARER(product.liveKey).headers, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'tell-nobody' }),
    });
    const rows = await untilLogged(product.id, 3);
    const facts = { client_id: null, error_code: 'invalid_request', param: 'user_id', status: 400 };
    const [liveId, testId] = [await keyIdOf(product.liveKey), await keyIdOf(product.testKey)];
    const route = 'GET /api/v1/entitlements';
    const idOf = (response: Response) => response.headers.get('x-request-id');
    t.deepEqual(rows, [
      {
        ...facts,
        route,
        status: 200,
        error_code: null,
        param: null,
        api_key_id: liveId,
        request_id: idOf(good),
      },
      { ...facts, route, api_key_id: testId, request_id: idOf(bad) },
      {
        ...facts,
        route: 'POST /api/v1/usage',
        param: 'kind',
        api_key_id: liveId,
        request_id: idOf(usage),
      },
    ] as Row[]);
    const html = await read();
    for (const { request_id } of rows) t.true(html.includes(request_id));
    t.regex(
      html,
      />400<\/span>[^]*?<code class="id">invalid_request<\/code> <small>field <code>user_id</,
    );
    const stored = JSON.stringify(await api.test.query('select * from api_request'));
    t.false(stored.includes('tell-nobody') || stored.includes(person.id));
  },
);

test.serial(
  'requests of a client stand in the log once it has proven itself, those of its tokens too',
  async (t) => {
    const { product, read } = await openProduct();
    const client = await api.seed.client({ product, name: 'Web <app>' });
    const { browser } = await teams.signedIn();
    const code = await newCode(browser, client);
    const answer = (await (await exchange(api, { client, code })).json()) as {
      access_token: string;
    };
    await untilLogged(product.id, 1);
    await readProfile(api, answer.access_token);
    await untilLogged(product.id, 2);
    t.is((await exchange(api, { client, code: 'gac_wrong' })).status, 400);
    await untilLogged(product.id, 3);
    const authorization = basic(client.clientId, 'a wrong secret');
    const fields = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri };
    t.is((await postToken(api, { headers: { authorization }, fields })).status, 401);
    t.is((await postToken(api, { fields: { ...fields, client_id: client.clientId } })).status, 401);
    await api.requests.close();
    const rows = await rowsOf(product.id);
    t.deepEqual(
      rows.map(({ route, status, error_code, client_id }) => [
        route,
        status,
        error_code,
        client_id,
      ]),
      [
        ['POST /api/oauth/token', 200, null, client.clientId],
        ['GET /api/v1/me', 200, null, client.clientId],
        ['POST /api/oauth/token', 400, 'invalid_grant', client.clientId],
      ],
    );
    t.regex(await read(), /Web &lt;app&gt;/);
  },
);

test.serial(
  'a key that was revoked or has expired still tells whose it was; a made-up one does not',
  async (t) => {
    const { product, read } = await openProduct();
    const [expiresAt, revokedAt] = [new Date(Date.now() - 1_000), new Date()];
    const expired = await api.seed.key({ productId: product.id, mode: 'live', expiresAt });
    const revoked = await api.seed.key({ productId: product.id, mode: 'test', revokedAt });
    const madeUp = newCredential('gk_live_');
    for (const key of [expired, revoked, madeUp]) {
      t.is((await api.request('/api/v1/entitlements', BEARER(key))).status, 401);
    }
    const { token } = await api.seed.token({ product });
    const hash = hashCredential(token);
    await api.test.query('update access_token set revoked_at = now() where token_hash = $1', [
      hash,
    ]);
    t.is((await readProfile(api, token)).status, 401);
    const rows = await untilLogged(product.id, 3);
    await api.requests.close();
    t.is((await rowsOf(product.id)).length, 3);
    t.deepEqual(new Set(rows.map(({ error_code }) => error_code)), new Set(['unauthorized']));
    t.deepEqual(
      new Set(rows.map(({ api_key_id }) => api_key_id)),
      new Set([await keyIdOf(expired), await keyIdOf(revoked), null]),
    );
    const only = await read(`?credential=${await keyIdOf(revoked)}`);
    t.is(only.match(/>req_/g)?.length, 1);
    t.regex(only, /A revoked credential/);
  },
);

test.serial('the log is filtered by status and credential, and paged by fifty', async (t) => {
  const { product, read } = await openProduct();
  const [liveId, testId] = [await keyIdOf(product.liveKey), await keyIdOf(product.testKey)];
  await api.test.query(
    `insert into api_request (id, product_id, api_key_id, route, status, request_id, created_at)
     select time_ordered_id(), $1, case when n % 2 = 0 then $2::uuid else $3::uuid end,
       'GET /api/v1/entitlements', case when n % 3 = 0 then 429 else 200 end, 'req_' || n,
       gatehouse_now()
     from generate_series(1, 60) n`,
    [product.id, liveId, testId],
  );
  const idsIn = (html: string) => [...html.matchAll(/>(req_\w+)</g)].map(([, id]) => id!);
  const first = await read();
  t.is(idsIn(first).length, 50);
  t.is(idsIn(first)[0], 'req_60');
  const next = /before=([0-9a-f-]+)/.exec(first)![1]!;
  t.deepEqual(idsIn(await read(`?before=${next}`)).at(-1), 'req_1');
  t.is(idsIn(await read('?status=4xx')).length, 20);
  t.is(idsIn(await read(`?status=4xx&credential=${liveId}`)).length, 10);
  t.is(idsIn(await read('?status=5xx')).length, 0);
  t.regex(await read('?status=5xx'), /Nothing matches/);
  await api.test.query(`update api_request set created_at = created_at - interval '8 days'`);
  t.is(idsIn(await read()).length, 0, 'a day that is not dropped yet shows nothing older');
});

test.serial(
  'a filter that cannot be is refused, and a product of others is not there',
  async (t) => {
    const { path } = await openProduct();
    const { browser } = await teams.signedIn();
    t.is((await browser.get(path)).status, 404);
    const own = await openProduct();
    t.regex(await own.read('?credential=x'), /credential/);
    t.regex(await own.read('?status=999'), /status/);
  },
);

test.serial('a database that is away costs rows of the log, never an answer', async (t) => {
  const { product } = await openProduct();
  await api.test.query('alter table request_quota rename to request_quota_away');
  const path = `/api/v1/entitlements?user_id=${product.ownerPersonId}`;
  t.is((await api.request(path, BEARER(product.liveKey))).status, 200);
  await api.requests.close();
  await api.test.query('alter table request_quota_away rename to request_quota');
  t.deepEqual(await rowsOf(product.id), []);
});
