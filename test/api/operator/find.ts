import test from 'ava';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { createSales } from '../../support/purchases/sales.ts';
import { people, operator } from './scene.ts';

const { api } = people;
const sales = createSales({ testDatabase: api.test, database: api.database });

const NOWHERE = '00000000-0000-4000-8000-000000000000';

async function find(typed: string, { browser } = operator) {
  const response = await browser.get(`/operator/find?${new URLSearchParams({ q: typed })}`);
  const location = response.headers.get('location');
  const page = response.status === 200 ? await response.text() : '';
  const links = [...page.matchAll(/href="([^"]+)" data-found=/g)];
  return { status: response.status, location, found: links.map(([, path]) => path), page };
}

async function scene() {
  const { product, ...person } = await seedProduct();
  const { id: endpointId } = await api.seed.endpoint({
    productId: product.id,
    url: 'https://hooks.example/in',
  });
  const deliveryId = await createDeliveryRows(api.test).delivery({
    productId: product.id,
    endpointId,
    status: 'dead',
  });
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  const paymentId = String((await sales.paymentOf(sale))['id']);
  const refundId = newPublicId('re_');
  await api.test.query(
    `insert into refund (id, payment_id, amount_minor, currency) values ($1, $2, 100, 'USD')`,
    [refundId, paymentId],
  );
  const path = `/console/products/${product.id}`;
  return { ...person, product, path, endpointId, deliveryId, sale, paymentId, refundId };
}

async function seedProduct() {
  const person = await api.seed.person({ isBuilder: true });
  return { person, product: await api.seed.product({ owner: person }) };
}

test('an operator is led from a public id, a name or a workflow to the page of the thing', async (t) => {
  const all = await scene();
  const { person, product, path, endpointId, deliveryId, sale, paymentId, refundId } = all;
  const purchase = `${path}/purchases/${sale.purchaseId}`;
  const delivery = `${path}/deliveries/${deliveryId}`;
  const cases = {
    [deliveryId]: delivery,
    [`delivery:${deliveryId}`]: delivery,
    [` ${deliveryId} `]: delivery,
    [sale.purchaseId]: purchase,
    [`purchase:${sale.purchaseId}`]: purchase,
    [paymentId]: purchase,
    [refundId]: purchase,
    [endpointId]: `${path}/endpoints/${endpointId}`,
    [`deliveries:${endpointId}:2026-11-25T19:05Z`]: `${path}/deliveries?status=retrying&endpoint=${endpointId}`,
    [person.id]: `/operator/people/${person.id}`,
    [person.handle]: `/operator/people/${person.id}`,
    [`@${person.handle}`]: `/operator/people/${person.id}`,
    [product.id]: path,
    [product.slug]: path,
    sweep: '/operator/alerts',
  };
  for (const [typed, expected] of Object.entries(cases)) {
    const { status, location } = await find(typed);
    t.is(status, 303, typed);
    t.is(location, expected, typed);
    t.is((await operator.browser.get(expected)).status, 200, expected);
  }
});

test('a product is found by the beginning of its name, in any case', async (t) => {
  const owner = await api.seed.person({ isBuilder: true });
  const named = async (name: string) => {
    const { id } = await api.seed.product({ owner, name });
    return `/console/products/${id}`;
  };
  const trail = await named('Über Paper Trail 50%');
  const tools = [await named('Quill_Tools'), await named('QUILLTOWN')];
  for (const typed of ['über paper', 'ÜBER PAPER TRAIL 50%', '\u0075\u0308ber  paper']) {
    t.is((await find(typed)).location, trail, typed);
  }
  t.deepEqual((await find('quill')).found.toSorted(), tools.toSorted());
  t.is((await find('Quill_')).location, tools[0]!);
  for (const typed of ['aper Trail', 'über%', 'quill__']) {
    t.deepEqual((await find(typed)).found, [], typed);
  }
  for (let count = 0; count < 21; count += 1) await named(`Many ${count}`);
  const many = await find('many ');
  t.is(many.found.length, 20);
  t.regex(many.page, /Only the first 20/);
});

test('the name of a product is looked up by an index', async (t) => {
  const plan = await api.database.pool.query(
    `begin; set local enable_seqscan = off;
     explain select from product p where lower(p.name) collate "C" between lower('x') and lower('xz');
     rollback`,
  );
  t.regex(JSON.stringify(plan), /product_name_start/);
});

test('an address leads to its person, in any case; that of nobody to nothing', async (t) => {
  const { person } = await seedProduct();
  t.is((await find(person.email.toUpperCase())).location, `/operator/people/${person.id}`);
  t.deepEqual((await find(`x${person.email}`)).found, []);
});

test('clients, grants and requests of the log lead to their pages', async (t) => {
  const { person, product } = await seedProduct();
  const path = `/console/products/${product.id}`;
  const { clientId } = await api.seed.client({ product });
  t.is((await find(clientId)).location, `${path}/clients`);
  const firstParty = await api.seed.client({ product: null });
  t.is((await find(firstParty.clientId)).location, '/operator/clients');

  const grantId = newPublicId('grant_');
  const key = { productId: product.id, personId: person.id };
  await api.seed.grant(key, { type: 'complimentary', source: grantId });
  const granted = await find(grantId);
  t.deepEqual(granted.found, [`${path}/grants`, `/operator/people/${person.id}`]);

  const ids = [`req_${'aB3'.repeat(8)}`, `req_${'aB4'.repeat(8)}`];
  for (const requestId of ids) {
    await api.test.query(
      `insert into api_request (id, product_id, client_id, route, status, request_id, created_at)
       values (time_ordered_id(), $1, $2, 'GET /x', 200, $3, gatehouse_now())`,
      [product.id, clientId, requestId],
    );
  }
  const { location } = await find(ids[0]!);
  t.is(location, `${path}/requests?request=${ids[0]}`);
  const page = await (await operator.browser.get(location!)).text();
  t.true(page.includes(`<code class="id" title="${ids[0]}"`));
  t.false(page.includes(ids[1]!), 'it alone');
});

test("a key's last four characters lead to its product, and to each of several", async (t) => {
  const [one, other] = [await seedProduct(), await seedProduct()];
  const name = 'zZ9_';
  for (const { product } of [one, other]) {
    const { rowCount } = await setLastFour(product.id, name);
    t.is(rowCount, 1);
  }
  const { found, page } = await find(name);
  const paths = [one, other].map(({ product }) => `/console/products/${product.id}/keys`);
  t.deepEqual(found.toSorted(), paths.toSorted());
  t.regex(page, /<small class="muted">API key</);
  t.deepEqual((await find(name.toLowerCase())).found, [], 'as it is written');
});

async function setLastFour(productId: string, name: string) {
  const changed = await api.test.query(
    `update api_key set last_four = $2 where id = (
       select id from api_key where product_id = $1 limit 1) returning id`,
    [productId, name],
  );
  return { rowCount: changed.length };
}

test('access leads to the grants of its product and to its person', async (t) => {
  const { person, product } = await seedProduct();
  const { found } = await find(`entitlement:${product.id}:${person.id}`);
  t.deepEqual(found, [`/console/products/${product.id}/grants`, `/operator/people/${person.id}`]);
});

test('what nothing has, and what is no id, finds nothing', async (t) => {
  const unknown = [
    newPublicId('evt_'),
    newPublicId('sub_'),
    newPublicId('dp_'),
    NOWHERE,
    'no-such',
  ];
  for (const typed of ['', ...unknown, '%', "' or 1=1 --", '<b>', 'a\0b']) {
    const { status, found, page } = await find(typed);
    t.is(status, 200, typed);
    t.deepEqual(found, [], typed);
    t.regex(page, /No match/);
    t.notRegex(page, /value="<b>"/);
  }
  for (const long of ['x'.repeat(254), 'x'.repeat(255)]) t.is((await find(long)).status, 200);
});

test('nobody else finds anything', async (t) => {
  const { deliveryId, person } = await scene();
  const builder = await people.signedIn(person);
  t.is((await find(deliveryId, builder)).status, 404);
  const visitor = api.browser();
  const { status, location } = await find(deliveryId, { ...operator, browser: visitor });
  t.is(status, 303);
  t.regex(location!, /^\/sign-in/);
});
