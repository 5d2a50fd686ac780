import test from 'ava';
import { notify, type Audience } from '../../../../domain/notifications/notification.repository.ts';
import { createSales } from '../../../support/purchases/sales.ts';
import { createDeliveryRows } from '../../../support/webhooks/delivery-rows.ts';
import { teams, operator } from './scene.ts';

const { api } = teams;

const PATH = '/console/notifications';
type Browser = Awaited<ReturnType<typeof teams.signedIn>>['browser'];

async function tell(audience: Audience, productId: string | null = null): Promise<void> {
  const data = { endpointId: crypto.randomUUID(), url: 'https://hooks.example/in', since: null };
  const notification = { kind: 'endpoint_failing', productId, audience, data } as const;
  await api.database.transaction((em) => notify(em, notification));
}

async function shown(browser: Browser, path = PATH) {
  const response = await browser.get(path);
  const html = await response.text();
  if (response.status !== 200) throw new Error(html);
  const found = [...html.matchAll(/data-notification="([^"]+)"\s+data-read="(\w+)"/g)];
  return {
    html,
    ids: found.map(([, id]) => id!),
    unread: Number(/Notifications\s*<span class="count"\s*>(\d+)\+?</.exec(html)?.[1] ?? 0),
    next: /href="([^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&'),
  };
}

test('a team notification is seen by those of its roles, a personal one by its person', async (t) => {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team);
  await tell({ teamId: team.id, roles: ['owner', 'developer'] }, product.id);
  await tell({ personId: team.members.viewer.person.id });
  const seen: Record<string, number> = {};
  for (const [role, { browser }] of Object.entries(team.members)) {
    seen[role] = (await shown(browser)).ids.length;
  }
  t.deepEqual(seen, { owner: 1, admin: 0, developer: 1, finance: 0, viewer: 1 });
  const { html } = await shown(team.members.developer.browser);
  t.regex(html, /A webhook delivery failed/);
  t.true(html.includes(`/console/products/${product.slug}/deliveries?status=dead&amp;endpoint=`));
  t.regex(html, new RegExp(team.name));
  t.notRegex(html, /<img/, 'a product without an icon has a drawn one');
  const stranger = await teams.signedIn();
  t.regex((await shown(stranger.browser)).html, /You&#39;re all caught up/);
});

test('the console says how many wait to be read, each person marks their own', async (t) => {
  const team = await teams.team(['developer']);
  const { owner, developer } = team.members;
  for (let n = 0; n < 3; n += 1) await tell({ teamId: team.id, roles: ['owner', 'developer'] });
  const { ids, unread } = await shown(owner.browser);
  t.is(unread, 3);
  t.is((await shown(owner.browser, '/console')).unread, 3);
  t.is((await shown(owner.browser, '/console/teams')).unread, 3);
  const mark = (browser: Browser, notification: string) =>
    browser.submit(PATH, { action: PATH, fields: { notification } });
  t.is((await mark(owner.browser, ids[0]!)).status, 303);
  t.is((await mark(owner.browser, ids[0]!)).status, 303);
  t.is((await shown(owner.browser)).unread, 2);
  t.is((await shown(developer.browser)).unread, 3);
  await Promise.all([mark(developer.browser, 'all'), mark(developer.browser, 'all')]);
  t.is((await shown(developer.browser)).unread, 0);
  t.is((await shown(owner.browser)).unread, 2);
  t.is((await mark(owner.browser, 'nonsense')).status, 400);
});

test('nobody marks what is told to others', async (t) => {
  const team = await teams.team(['developer']);
  await tell({ teamId: team.id, roles: ['owner'] });
  const [id] = (await shown(team.members.owner.browser)).ids;
  const { browser } = team.members.developer;
  const fields = { notification: id! };
  await browser.submit('/settings/profile', { action: PATH, fields });
  t.is(
    (await api.test.query('select 1 from notification_read where notification_id = $1', [id]))
      .length,
    0,
  );
});

test('notifications page by cursor, and more than 99 are not counted on', async (t) => {
  const { browser, person } = await teams.signedIn();
  for (let n = 0; n < 101; n += 1) await tell({ personId: person.id });
  const ids: string[] = [];
  let next: string | undefined = PATH;
  while (next) {
    const page: Awaited<ReturnType<typeof shown>> = await shown(browser, next);
    ids.push(...page.ids);
    next = page.next;
  }
  t.is(new Set(ids).size, 101);
  t.regex((await shown(browser)).html, /Notifications\s*<span class="count"\s*>99\+</);
});

const rows = createDeliveryRows(api.test);
const sales = createSales({ testDatabase: api.test, database: api.database });

const TICK = /data-requirement="no_active_price" data-met="true"/;

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
  t.regex(well, TICK);
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
  t.notRegex(ill, TICK);
  t.true(ill.includes(`href="${path}/deliveries?status=retrying"`), 'and leads to it');
  t.notRegex(ill, /http_status|Workflow/);
});

test.serial('an open dispute is shown with its date, and leads to the purchase', async (t) => {
  const { product, read, path } = await scene();
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  const dueAt = new Date('2027-03-04T05:06:00Z');
  await sales.dispute(sale, { status: 'open', dueAt });
  const overview = await read(path);
  t.regex(overview, /data-issue="open_disputes"[\s\S]*4 Mar 2027, 05:06/);
  const disputes = await read(`${path}/disputes`);
  t.true(disputes.includes(`href="${path}/purchases/${sale.purchaseId}"`));
  t.regex(disputes, /4 Mar 2027, 05:06/);
  await sales.dispute(sale, { status: 'won', dueAt: null });
  t.notRegex(await read(path), /data-failing/);
  t.notRegex(await read(`${path}/disputes`), /2027-03-04/);
});

test.serial(
  'notifications and the operator see deliveries that died or are held too',
  async (t) => {
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
  },
);
