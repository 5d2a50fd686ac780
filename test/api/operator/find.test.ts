import test from 'ava';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';
import { createSales } from '../../support/purchases/sales.ts';
import { startPeople } from '../../support/identity/people.ts';

const people = await startPeople();
const { api } = people;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
const sales = createSales({ testDatabase: api.test, database: api.database });
test.after.always(() => api.close());

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
  t.regex(page, /API key: /);
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
  t.is((await find('x'.repeat(97))).status, 200);
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
