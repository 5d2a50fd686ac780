import test from 'ava';
import { SUBSCRIBABLE } from '../../../../domain/webhooks/events.schema.ts';
import { recordEvent } from '../../../../domain/webhooks/event.repository.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { endpoints, production } from './endpoint.scene.ts';

const { api, owner, browser, press, newProduct, add, endpointRow, auditOf } = endpoints;

test('an endpoint is registered with its events, and its secret is shown', async (t) => {
  const { path, id } = await newProduct();
  const made = await add(path, {
    url: ' https://example.com/a?b=1#part',
    events: ['purchase.completed', 'entitlement.renewed', 'entitlement.created'],
  });
  t.regex(made.secret, /^whsec_[0-9A-Za-z]{43}$/);
  const row = await endpointRow(made.endpointId);
  t.like(row, { slot: 1, url: 'https://example.com/a?b=1', previous_encrypted_secret: null });
  t.deepEqual(row.events, ['entitlement.created', 'entitlement.renewed', 'purchase.completed']);
  t.false(JSON.stringify(row).includes(made.secret.slice(6)));
  t.false(JSON.stringify(await auditOf(id)).includes(made.secret.slice(6)));
  for (const page of [path, made.path]) {
    const text = await (await browser.get(page)).text();
    t.true(text.includes('https://example.com/a?b=1') && text.includes('entitlement.renewed'));
    t.false(text.includes(made.secret.slice(6)), 'no page reads it back unasked');
  }
});

test('the checkboxes are the registry: a new endpoint begins with all events, webhook.test is none', async (t) => {
  const { path } = await newProduct();
  const page = await (await browser.get(path)).text();
  for (const { name, when } of SUBSCRIBABLE) {
    const box = new RegExp(`value="${name}"\\s*(checked)?\\s*/>[\\s\\S]*?<small[^>]*>([^<]*)`);
    const [, checked, said] = box.exec(page) ?? [];
    t.is(checked, 'checked', name);
    t.is(said, when.replaceAll('`', ''), name);
  }
  t.false(page.includes('value="webhook.test"'));
  t.is((await press(path, { url: 'https://example.com/', events: 'webhook.test' })).status, 400);
});

const REFUSED: [string, RegExp][] = [
  ['', /Enter a full URL/],
  ['example.com/hook', /Enter a full URL/],
  [`https://example.com/${'x'.repeat(2_048)}`, /2,048 characters/],
  [`https://example.com/${'é'.repeat(1_000)}`, /2,048 characters/],
  ['http://example.com/hook', /start with https/],
  ['ftp://example.com/hook', /start with https/],
  ['https://me:secret@example.com/', /Leave out the user name and password/],
  ['https://example.com:5432/', /cannot use this port/],
  ['https://example.com:6379/', /cannot use this port/],
  ['https://example.com:7233/', /cannot use this port/],
  ['https://example.com:22/', /cannot use this port/],
  ['https://localhost/', /must have a public address/],
  ['https://intranet/', /must have a public address/],
  ['https://127.0.0.1/', /must have a public address/],
  ['https://2130706433/', /must have a public address/],
  ['https://[::ffff:10.0.0.1]/', /must have a public address/],
  ['https://169.254.169.254/latest', /must have a public address/],
];

for (const [url, sentence] of REFUSED) {
  test(`registration refuses ${url.slice(0, 40) || 'nothing'} in place`, async (t) => {
    const { path, id } = await production.newProduct();
    const response = await production.press(path, { url, events: 'purchase.completed' });
    t.is(response.status, 422);
    const page = await response.text();
    const [, said = ''] = /id="url-problem"[^>]*>([^<]*)/.exec(page) ?? [];
    t.regex(said, sentence);
    t.deepEqual(await production.auditOf(id), []);
  });
}

const readProblem = async (response: Response) =>
  /id="url-problem"[^>]*>([^<]*)/.exec(await response.text())?.[1] ?? '';

test('registration refuses an address of the platform itself in place', async (t) => {
  const { path } = await newProduct();
  const { port } = new URL(api.url);
  const own = [api.url, `${api.url}/api/v1/usage`, `http://localhost:${port}/hook`];
  for (const url of own) {
    const response = await press(path, { url, events: 'purchase.completed' });
    t.is(response.status, 422, url);
    t.regex(await readProblem(response), /an address of Gatehouse itself/);
  }
});

test('registration refuses a URL that another endpoint of the product has, in place', async (t) => {
  const { path, id } = await newProduct();
  const fields = { url: 'https://example.com/twice', events: 'purchase.completed' };
  const answers = await Promise.all(Array.from({ length: 6 }, () => press(path, fields)));
  const refused = answers.filter(({ status }) => status === 422);
  t.is(refused.length, 5, 'of six at once, one is made');
  for (const each of refused) t.regex(await readProblem(each), /^Another endpoint .*arrive twice/);
  t.is((await auditOf(id)).length, 1);
  const other = await add(path, { url: 'https://example.com/other' });
  const changed = await press(other.path, fields);
  t.is(changed.status, 422);
  t.regex(await readProblem(changed), /^Another endpoint of this product has this URL/);
  t.is((await endpointRow(other.endpointId)).url, 'https://example.com/other');
  t.is((await press(other.path, { ...fields, url: 'https://example.com/other' })).status, 303);
  const elsewhere = await newProduct();
  t.not((await add(elsewhere.path, fields)).endpointId, '', 'each product for itself');
});

test('http and local addresses are taken only where the settings say so', async (t) => {
  const { path } = await newProduct();
  t.not((await add(path, { url: 'http://127.0.0.1:4000/hook' })).endpointId, '');
  t.not((await add(path, { url: 'http://localhost:4000/hook' })).endpointId, '');
  t.is((await press(path, { url: 'http://10.0.0.1/', events: 'purchase.completed' })).status, 422);
});

test('an endpoint without events is refused in place, and what was typed stays', async (t) => {
  const { path } = await newProduct();
  const response = await press(path, { url: 'https://example.com/typed' });
  t.is(response.status, 422);
  const page = await response.text();
  t.regex(page, /id="events-problem"/);
  t.true(page.includes('value="https://example.com/typed"'));
});

test('a product limit of 10 endpoints, however many are added at once', async (t) => {
  const { path, id } = await newProduct();
  const made = await Promise.all(Array.from({ length: 20 }, () => add(path)));
  const slots = await api.test.query<{ slot: number }>(
    'select slot from webhook_endpoint where product_id = $1 order by slot',
    [id],
  );
  t.deepEqual(
    slots.map(({ slot }) => slot),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  t.is(made.filter(({ secret }) => secret !== '').length, 10);
  t.is((await auditOf(id)).length, 10);
  const more = await press(path, { url: 'https://example.com/', events: 'purchase.completed' });
  t.is(more.status, 422);
  t.regex(await more.text(), /limit of 10 endpoints/);
  const gone = made.find(({ secret }) => secret !== '')!;
  await press(`${gone.path}/state`, { action: 'delete' });
  t.not((await add(path)).endpointId, '', 'a deleted one makes room');
});

test('an owner may have 100 endpoints over all products, however many are added at once', async (t) => {
  const builder = await api.seed.person({ isBuilder: true });
  const by = api.browser();
  await by.signIn(builder);
  const products = [];
  for (let n = 0; n < 11; n += 1) products.push(await newProduct({ owner: builder }));
  const fieldsOf = (n: number) => ({
    url: `https://example.com/hook/${n}`,
    events: 'purchase.completed',
  });
  for (const { id } of products.slice(0, 9)) {
    await api.test.query(
      `insert into webhook_endpoint (id, product_id, slot, url, events, encrypted_secret)
       select gen_random_uuid(), $1, n, 'https://example.com/', '{}', '' from generate_series(1, 10) n`,
      [id],
    );
  }
  const answers = await Promise.all(
    products
      .slice(9)
      .flatMap(({ path }) => Array.from({ length: 9 }, (_, n) => press(path, fieldsOf(n), by))),
  );
  const refused = answers.filter(({ status }) => status === 422);
  t.is(refused.length, 8);
  for (const response of refused) t.regex(await response.text(), /limit of 100 endpoints/);
  const [counted] = await api.test.query<{ n: number }>(
    `select count(*)::int as n from webhook_endpoint e join product p on p.id = e.product_id
     where p.owner_person_id = $1`,
    [builder.id],
  );
  t.is(counted!.n, 100);
});

test('address and events are changed together, and judged as when it was made', async (t) => {
  const { path } = await newProduct();
  const made = await add(path);
  const url = 'https://example.org/other';
  const response = await press(made.path, { url, events: ['entitlement.expired'] });
  t.is(arrivalOf(response), `${made.path} saved`);
  t.like(await endpointRow(made.endpointId), { url, events: ['entitlement.expired'] });
  const wrong = { url: 'https://user@example.org/', events: 'entitlement.expired' };
  const refused = await press(made.path, wrong);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /id="url-problem"/);
  t.like(await endpointRow(made.endpointId), { url });
});

test('enabling again releases nothing by itself', async (t) => {
  const { path, id } = await newProduct();
  const made = await add(path);
  await press(`${made.path}/state`, { action: 'disable' });
  const data = { purchase_id: 'pay_x', user_id: owner.id, product_id: id };
  await api.database.transaction((em) =>
    recordEvent(em, {
      productId: id,
      name: 'purchase.completed',
      data: { ...data, gross_minor: 100, currency: 'USD' },
    }),
  );
  await press(`${made.path}/state`, { action: 'enable' });
  t.is((await endpointRow(made.endpointId)).disabled_at, null);
  const [delivery] = await endpoints.deliveriesTo(made.endpointId);
  t.is(delivery?.status, 'held');
});

test('every change leaves one audit row, a repeated or refused one none', async (t) => {
  const { path, id } = await newProduct();
  const { endpointId, ...made } = await add(path);
  const state = (action: string) => press(`${made.path}/state`, { action });
  for (const action of ['disable', 'disable', 'enable', 'enable']) await state(action);
  await press(made.path, { url: 'https://example.org:8443/x', events: 'purchase.completed' });
  await press(made.path, { url: 'nonsense', events: 'purchase.completed' });
  const deleted = await state('delete');
  t.is(arrivalOf(deleted), `${path} endpoint_deleted`);
  t.is(arrivalOf(await state('delete')), `${path} unchanged`);
  t.is((await browser.get(made.path)).status, 404);
  t.not((await endpointRow(endpointId)).deleted_at, null);
  const events = ['purchase.completed'];
  t.deepEqual(await auditOf(id), [
    row('endpoint.created', { host: 'example.com', events }),
    row('endpoint.disabled'),
    row('endpoint.enabled'),
    row('endpoint.changed', { host: 'example.org:8443', events }),
    row('endpoint.deleted'),
  ]);
  function row(action: string, detail: object = {}) {
    return { action, subject: endpointId, actor_id: owner.id, detail };
  }
});

test('an endpoint of another product is neither shown nor changed', async (t) => {
  const stranger = await api.seed.product();
  const { id } = await api.seed.endpoint({ productId: stranger.id, url: 'https://example.com/' });
  const { path } = await newProduct();
  const target = { url: 'https://evil.example/', events: 'purchase.completed' };
  for (const at of [`${path}/${id}`, `/console/products/${stranger.slug}/endpoints/${id}`]) {
    t.is((await browser.get(at)).status, 404);
    t.is((await press(at, target)).status, 404);
    t.is((await press(`${at}/test`)).status, 404);
    t.is((await press(`${at}/secret`)).status, 404);
    t.is((await press(`${at}/rotate`, { replaces: 'x', window_days: '1' })).status, 404);
    await press(`${at}/state`, { action: 'delete' });
  }
  t.like(await endpointRow(id), { url: 'https://example.com/', deleted_at: null });
  t.is((await browser.get(`${path}/not-a-uuid`)).status, 400);
});

test('products sold elsewhere and builders who are not verified have no endpoints', async (t) => {
  const target = { url: 'https://example.com/', events: 'purchase.completed' };
  const elsewhere = await newProduct({ delivery: 'external_store' });
  const refused = await press(elsewhere.path, target);
  t.is(refused.status, 422);
  t.regex(await refused.text(), /sold elsewhere/);
  const beginner = await api.seed.person();
  const own = await api.seed.product({ owner: beginner });
  const theirs = api.browser();
  await theirs.signIn(beginner);
  const answer = await press(`/console/products/${own.slug}/endpoints`, target, theirs);
  t.is(answer.status, 422);
  t.regex(await answer.text(), /once you are a verified maker/);
});
