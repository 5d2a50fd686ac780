import test from 'ava';
import { eventually } from '../../../support/eventually.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { api, owner, browser, comeBack } from './scene.ts';

const HOUR_MS = 3_600_000;

async function newProduct(options: Parameters<typeof api.seed.product>[0] = {}) {
  const product = await api.seed.product({ owner, ...options });
  return { ...product, path: `/console/products/${product.slug}/keys` };
}

type Made = { keyId: string; key: string };

/** The text of the page that a form leads to. */
const shownBy = async (response: Response, by = browser) => (await by.follow(response)).text();

/** What the page shows once. */
function readFresh(page: string): Made {
  const [, keyId = '', key = ''] =
    /data-fresh="([0-9a-f-]{36})"[\s\S]*?>(gk_\w+)</.exec(page) ?? [];
  return { keyId, key };
}

async function create(path: string, { mode = 'live', name = 'Server' } = {}): Promise<Made> {
  const response = await browser.submit('/', { action: path, fields: { mode, name } });
  return readFresh(await shownBy(response));
}

const change = (path: string, keyId: string, action: string) =>
  browser.submit('/', { action: `${path}/${keyId}`, fields: { action } });

async function statusOf(key: string): Promise<number> {
  const response = await fetch(
    `${api.url}/api/v1/entitlements?user_id=00000000-0000-0000-0000-000000000000`,
    { headers: { authorization: `Bearer ${key}` } },
  );
  return response.status;
}

const auditOf = (productId: string) =>
  api.test.query<{ action: string; subject: string }>(
    'select action, subject, actor_id, detail from audit where product_id = $1 order by at, id',
    [productId],
  );

test.serial('a key is displayed exactly once, and no page reads it back', async (t) => {
  const { path, id } = await newProduct();
  const made = await create(path, { mode: 'live', name: '<i>Shop</i>' });
  t.regex(made.key, /^gk_live_[0-9A-Za-z]{49}$/);
  t.is(await statusOf(made.key), 200);
  const page = await (await browser.get(path)).text();
  t.false(page.includes(made.key));
  t.true(page.includes(`gk_live_...${made.key.slice(-4)}`) && page.includes('&lt;i&gt;Shop'));
  const stored = await api.test.query('select * from api_key where id = $1', [made.keyId]);
  t.false(JSON.stringify(stored).includes(made.key.slice(8, 40)));
  t.false(JSON.stringify(await auditOf(id)).includes(made.key.slice(8, 40)));
});

test.serial('a test key is answered with test_mode', async (t) => {
  const { path } = await newProduct();
  const { key } = await create(path, { mode: 'test' });
  t.regex(key, /^gk_test_/);
  t.is(await statusOf(key), 200);
});

test.serial('a replaced key keeps working for 48 hours', async (t) => {
  const { path } = await newProduct();
  const old = await create(path);
  const fresh = readFresh(await shownBy(await change(path, old.keyId, 'rotate')));
  t.is(await statusOf(fresh.key), 200);
  await api.test.advance(48 * HOUR_MS - 60_000);
  t.is(await statusOf(old.key), 200);
  await comeBack(120_000);
  t.is(await statusOf(old.key), 401);
  t.is(await statusOf(fresh.key), 200);
});

test.serial('a key is replaced once, and replacing it again does not extend it', async (t) => {
  const { path, id } = await newProduct();
  const old = await create(path);
  const click = async () => shownBy(await change(path, old.keyId, 'rotate'));
  const pages = await Promise.all(Array.from({ length: 6 }, click));
  t.is(pages.filter((page) => readFresh(page).key !== '').length, 1);
  t.is(pages.filter((page) => page.includes('has already been rotated')).length, 5);
  const keys = await api.test.query(`select 1 from api_key where product_id = $1`, [id]);
  t.is(keys.length, 2 + 2, 'its own two, and the two that it came with');
  await comeBack(47 * HOUR_MS);
  await change(path, old.keyId, 'rotate');
  await comeBack(2 * HOUR_MS);
  t.is(await statusOf(old.key), 401);
});

test.serial(
  'a revoked key stops working on the next request, also one that was replaced',
  async (t) => {
    const { path } = await newProduct();
    const old = await create(path);
    const fresh = readFresh(await shownBy(await change(path, old.keyId, 'rotate')));
    for (const { keyId, key } of [old, fresh]) {
      t.is(await statusOf(key), 200);
      const response = await change(path, keyId, 'revoke');
      t.is(arrivalOf(response), `${path} key_revoked`);
      t.is(await statusOf(key), 401);
    }
    t.is((await change(path, old.keyId, 'revoke')).headers.get('location'), path);
  },
);

test.serial('the console shows when a key was last used, to the minute', async (t) => {
  const { path } = await newProduct();
  const { keyId, key } = await create(path);
  t.regex(await (await browser.get(path)).text(), /Never/);
  t.is(await statusOf(key), 200);
  const lastUse = async () => {
    const [row] = await api.test.query<{ last_used_at: Date | null }>(
      'select last_used_at from api_key where id = $1',
      [keyId],
    );
    return row?.last_used_at?.toISOString() ?? '';
  };
  const used = await eventually(lastUse, (at) => at !== '');
  t.regex(used, /:00\.000Z$/);
  t.true((await (await browser.get(path)).text()).includes(`datetime="${used}"`));
});

test.serial('each change of a key leaves one audit row, a refused one none', async (t) => {
  const { path, id } = await newProduct();
  const made = await create(path, { mode: 'test', name: 'Laptop' });
  const fresh = readFresh(await shownBy(await change(path, made.keyId, 'rotate')));
  await change(path, made.keyId, 'rotate');
  await change(path, fresh.keyId, 'revoke');
  await change(path, fresh.keyId, 'revoke');
  await create(path, { name: '' });
  t.deepEqual(await auditOf(id), [
    row('key.created', made.keyId, { mode: 'test', name: 'Laptop' }),
    row('key.rotated', made.keyId, { new: fresh.keyId }),
    row('key.revoked', fresh.keyId, {}),
  ]);
  function row(action: string, subject: string, detail: object) {
    return { action, subject, actor_id: owner.id, detail };
  }
});

test.serial('a name that is missing, too long or unreadable is refused in place', async (t) => {
  const { path, id } = await newProduct();
  for (const name of ['', '   ', 'x'.repeat(81), 'a\u202eb']) {
    const response = await browser.submit('/', { action: path, fields: { mode: 'live', name } });
    t.is(response.status, 422, JSON.stringify(name));
    t.regex(await response.text(), /id="name-problem"/);
  }
  const wrong = await browser.submit('/', { action: path, fields: { mode: 'both', name: 'x' } });
  t.is(wrong.status, 400);
  const nul = await browser.submit('/', { action: path, fields: { mode: 'live', name: 'a\0' } });
  t.is(nul.status, 400);
  t.is((await change(path, 'not-a-uuid', 'revoke')).status, 400);
  t.deepEqual(await auditOf(id), []);
});

test.serial('a product limit of 20 keys that work, however many are made at once', async (t) => {
  const { path, id } = await newProduct();
  await Promise.all(Array.from({ length: 24 }, () => create(path)));
  const keys = await api.test.query('select 1 from api_key where product_id = $1', [id]);
  t.is(keys.length, 20);
  const response = await browser.submit('/', { action: path, fields: { mode: 'live', name: 'x' } });
  t.is(response.status, 422);
  t.regex(await response.text(), /limit of 20 keys/);
});

test.serial('replacing keys leads past 20 that work neither, one by one or at once', async (t) => {
  const { path, id } = await newProduct();
  const working = () =>
    api.test.query<{ id: string }>(
      'select id from api_key where product_id = $1 and revoked_at is null and expires_at is null',
      [id],
    );
  await Promise.all(Array.from({ length: 15 }, () => create(path)));
  const clicks = await Promise.all((await working()).map((key) => change(path, key.id, 'rotate')));
  t.is(clicks.filter(({ status }) => status === 303).length, 3);
  const [left] = await working();
  const refused = await change(path, left!.id, 'rotate');
  t.is(refused.status, 422);
  t.regex(await refused.text(), /limit of 20 keys/);
  const keys = await api.test.query('select 1 from api_key where product_id = $1', [id]);
  t.is(keys.length, 20);
});

test.serial('a key of another product is neither shown nor changed', async (t) => {
  const stranger = await api.seed.product();
  const theirs = `/console/products/${stranger.slug}/keys`;
  t.is((await browser.get(theirs)).status, 404);
  const { path } = await newProduct();
  const [foreign] = await api.test.query<{ id: string }>(
    'select id from api_key where product_id = $1 limit 1',
    [stranger.id],
  );
  t.is((await change(path, foreign!.id, 'revoke')).headers.get('location'), path);
  t.is(await statusOf(stranger.liveKey), 200);
});

test.serial(
  'before verification test keys are made, rotated and revoked, and live keys stay',
  async (t) => {
    const beginner = await api.seed.person();
    const own = await api.seed.product({ owner: beginner });
    const theirs = api.browser();
    await theirs.signIn(beginner);
    const action = `/console/products/${own.slug}/keys`;
    const page = await (await theirs.get(action)).text();
    t.regex(page, /data-trial/);
    t.regex(page, /once you are a verified maker\.\s*<a href="\/console\/verification">/);
    t.false(page.includes('value="live"'));
    const keyOf = async (fields: Record<string, string>, to = action) =>
      readFresh(await shownBy(await theirs.submit('/', { action: to, fields }), theirs));
    const made = await keyOf({ mode: 'test', name: 'laptop' });
    t.is(await statusOf(made.key), 200);
    const rotated = await keyOf({ action: 'rotate' }, `${action}/${made.keyId}`);
    t.is(await statusOf(rotated.key), 200);
    await theirs.submit('/', {
      action: `${action}/${rotated.keyId}`,
      fields: { action: 'revoke' },
    });
    t.is(await statusOf(rotated.key), 401);
    const [live] = await api.test.query<{ id: string }>(
      `select id from api_key where product_id = $1 and mode = 'live'`,
      [own.id],
    );
    for (const change of ['rotate', 'revoke']) {
      const fields = { action: change };
      const answer = await theirs.submit('/', { action: `${action}/${live!.id}`, fields });
      t.is(answer.status, 422, change);
      t.regex(await answer.text(), /live keys once you are a verified maker/);
    }
    t.is(await statusOf(own.liveKey), 200);
    t.deepEqual(
      (await auditOf(own.id)).map(({ action: done }) => done),
      ['key.created', 'key.rotated', 'key.revoked'],
    );
  },
);

test.serial(
  'products sold elsewhere have no keys, and builders who are not verified make no live keys',
  async (t) => {
    const elsewhere = await newProduct({ delivery: 'affiliate' });
    const form = { mode: 'live', name: 'x' };
    const refused = await browser.submit('/', { action: elsewhere.path, fields: form });
    t.is(refused.status, 422);
    t.regex(await refused.text(), /sold elsewhere/);
    const beginner = await api.seed.person();
    const own = await api.seed.product({ owner: beginner });
    const theirs = api.browser();
    await theirs.signIn(beginner);
    const action = `/console/products/${own.slug}/keys`;
    const answer = await theirs.submit('/', { action, fields: form });
    t.is(answer.status, 422);
    t.regex(await answer.text(), /once you are a verified maker/);
    t.deepEqual(await auditOf(own.id), []);
  },
);
