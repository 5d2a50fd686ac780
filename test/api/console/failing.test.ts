import test from 'ava';
import { startTeams } from '../../support/identity/teams.ts';
import { createSales } from '../../support/purchases/sales.ts';
import { createDeliveryRows } from '../../support/webhooks/delivery-rows.ts';

const teams = await startTeams();
const { api } = teams;
const rows = createDeliveryRows(api.test);
const sales = createSales({ testDatabase: api.test, database: api.database });
const operator = await teams.signedIn(await api.seed.person({ isOperator: true }));
test.after.always(() => api.close());

const TICK = '\u2713';

async function scene() {
  const team = await teams.team(['developer']);
  const product = await teams.productOf(team, { prices: { USD: 1_900 } });
  const url = 'https://hooks.example/in';
  const { id: endpointId } = await api.seed.endpoint({ productId: product.id, url });
  const { browser } = team.members.developer;
  const read = async (path: string) => (await browser.get(path)).text();
  return { product, endpointId, read, path: `/console/products/${product.slug}` };
}

test.serial('the overview shows what is failing, and ticks nothing beside it', async (t) => {
  const { product, endpointId, read, path } = await scene();
  const well = await read(path);
  t.true(well.includes(TICK));
  t.notRegex(well, /data-failing/);
  const failing = {
    productId: product.id,
    endpointId,
    status: 'retrying',
    dueInMinutes: 5,
  } as const;
  const deliveryId = await rows.delivery(failing);
  await rows.attempt({ deliveryId, step: 0, statusCode: 500, error: 'http_status' });
  const ill = await read(path);
  t.regex(ill, /data-issue="retrying_deliveries"/);
  t.false(ill.includes(TICK));
  t.true(ill.includes(`href="${path}/deliveries/${deliveryId}"`), 'the row leads to the delivery');
  t.notRegex(ill, /http_status|Workflow/);
});

test.serial('an open dispute is shown with its date, and leads to the purchase', async (t) => {
  const { product, read, path } = await scene();
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  const dueAt = new Date('2027-03-04T05:06:00Z');
  await sales.dispute(sale, { status: 'open', dueAt });
  const overview = await read(path);
  t.regex(overview, /data-issue="open_disputes"[\s\S]*2027-03-04 05:06/);
  const disputes = await read(`${path}/disputes`);
  t.true(disputes.includes(`href="${path}/purchases/${sale.purchaseId}"`));
  t.regex(disputes, /2027-03-04 05:06/);
  await sales.dispute(sale, { status: 'won', dueAt: null });
  t.notRegex(await read(path), /data-failing/);
  t.notRegex(await read(`${path}/disputes`), /2027-03-04/);
});

test.serial('notifications and the operator see it too', async (t) => {
  const { product, endpointId, read } = await scene();
  t.regex(await read('/console/notifications'), /all caught up/);
  const made = { productId: product.id, endpointId };
  await rows.delivery({ ...made, status: 'dead' });
  await rows.delivery({ ...made, status: 'held' });
  const page = await read('/console/notifications');
  t.regex(page, new RegExp(`data-failing="${product.slug}"`));
  t.regex(page, /data-issue="dead_deliveries"[\s\S]*data-issue="held_deliveries"/);
  t.notRegex(page, /all caught up/);
  const overview = await (await operator.browser.get('/operator')).text();
  t.true(overview.includes(`href="/console/products/${product.slug}"`));
  t.regex(overview, /data-failing/);
});
