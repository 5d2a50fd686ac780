import test from 'ava';
import { addProduct } from '../../support/catalog/scene.ts';
import { createSales } from '../../support/purchases/sales.ts';
import { startPeople } from '../../support/identity/people.ts';
import { createSubscriptions } from '../../support/subscriptions/subscriptions.ts';

const people = await startPeople();
const { api } = people;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
const sales = createSales({ testDatabase: api.test, database: api.database });
test.after.always(() => api.close());

async function addNamed(kind: 'one_time' | 'monthly' = 'one_time') {
  const order = await addProduct(api.test, { kind });
  const { productId } = order;
  const slug = `p-${productId.slice(-12)}`;
  await api.test.query('insert into product_slug (slug, product_id) values ($1, $2)', [
    slug,
    productId,
  ]);
  return order;
}

test('the page of a person lists their purchases, the latest first, 50 at a time', async (t) => {
  const { id: personId } = await api.seed.person();
  const bought: string[] = [];
  for (let count = 0; count < 51; count += 1) {
    const order = { ...(await addNamed()), personId };
    const { purchaseId } = await (count === 0 ? sales.paidSale(order) : sales.newSale(order));
    bought.push(purchaseId);
  }
  const latestFirst = bought.toSorted().toReversed();
  const path = `/operator/people/${personId}`;
  const read = async (address: string) => {
    const page = await (await operator.browser.get(address)).text();
    const links = page.matchAll(/href="\/console\/products\/[^"]+\/purchases\/(pay_\w+)"/g);
    const next = /href="([^"]+)" rel="next"/.exec(page)?.[1];
    return { page, ids: [...links].map(([, id]) => id), next };
  };
  const { page, ids, next } = await read(path);
  t.deepEqual(ids, latestFirst.slice(0, 50));
  t.regex(page, /19\.00/);
  const rest = await read(next!);
  t.deepEqual(rest.ids, latestFirst.slice(50));
  t.is(rest.next, undefined);
  const [link] = /\/console\/products\/[^"]+\/purchases\/pay_\w+/.exec(page)!;
  t.is((await operator.browser.get(link)).status, 200);
  t.is((await operator.browser.get(`${path}?before=odd`)).status, 200);
});

test('a subscription stands beside the purchase that began it', async (t) => {
  const subscriptions = createSubscriptions({ testDatabase: api.test, database: api.database });
  const order = await addNamed('monthly');
  const { personId, subscriptionId } = await subscriptions.subscribe('monthly', order);
  const page = await (await operator.browser.get(`/operator/people/${personId}`)).text();
  t.regex(page, new RegExp(`data-subscription="${subscriptionId}"\\s*>Active\\.`));
});

test('a person without purchases has none', async (t) => {
  const page = await (await operator.browser.get(`/operator/people/${operator.person.id}`)).text();
  t.regex(page, /<h2>Purchases<\/h2>\s*<p class="muted">No purchases\./);
});
