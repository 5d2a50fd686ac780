import test from 'ava';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { fillSignIn, follow, launchChromium, typeCard } from '../support/pages/chromium.ts';
import { checkAccess, goToCheckout, purchaseIdOf } from '../support/purchases/buyer.ts';
import { CARDS } from '../support/purchases/simulator.ts';
import { startPlatformWithReceiver } from '../support/webhooks/order.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];

const slug = 'paper-trail';
const EVENTS = [
  'purchase.completed',
  'entitlement.created',
  'purchase.refunded',
  'entitlement.refunded',
];

const { platform, receiver, close } = await startPlatformWithReceiver();
const browser = await launchChromium();
test.after.always(async () => {
  await browser.close();
  await close();
});

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES)
    await page.screenshot({ path: `${PICTURES}/refunding-${name}.png`, fullPage: true });
}

async function newPage(): Promise<Page> {
  const viewport = { width: 1_280, height: 760 };
  const context = await browser.newContext({ baseURL: platform.baseUrl, viewport });
  return context.newPage();
}

const personOf = (handle: string) =>
  platform.demo.people.find((candidate) => candidate.handle === handle)!;

async function buy(page: Page): Promise<string> {
  await page.goto(`/p/${slug}`);
  await follow(page, page.getByRole('link', { name: /^Buy for/ }).first());
  await fillSignIn(page, personOf('ben'));
  await typeCard(page, CARDS.succeeds);
  await page.locator('[data-status=cleared]').waitFor();
  return new URL(page.url()).pathname.split('/').at(-1)!;
}

/** By the seller, from the list of purchases. */
async function refund(page: Page, purchaseId: string): Promise<void> {
  await page.goto('/sign-in');
  await fillSignIn(page, personOf('ada'));
  await page.goto(`/console/products/${slug}/purchases`);
  await follow(page, page.locator(`a[href$="${purchaseId}"]`));
  await picture(page, 'sale');
  await follow(page, page.getByRole('button', { name: 'Refund' }));
  await picture(page, 'confirm');
  await follow(page, page.getByRole('main').getByRole('button', { name: /refund|send/i }));
  const mark = page.locator('.page-head .pill', { hasText: /^Refunded$/ });
  await eventually(
    async () => {
      await page.reload();
      return mark.count();
    },
    (count) => count > 0,
  );
  await picture(page, 'refunded');
}

test('buy link, hosted checkout, clearing, entitlement, signed webhooks, and the check answers active: true', async (t) => {
  const { demo, database } = platform;
  const path = `/buy/${slug}?src=GitHub%20Readme&currency=eur`;
  const { person, pay } = await goToCheckout(demo, { handle: 'bob', path });
  const key = { slug, personId: person.id };
  const before = await checkAccess(demo, key);
  t.like(before, { active: false, type: null, source: null, ends_at: null, test_mode: false });
  const purchaseId = purchaseIdOf(await pay(CARDS.succeeds));
  const isOurs = (event: { data: Record<string, unknown> }) =>
    event.data['purchase_id'] === purchaseId;

  const completed = await receiver.waitFor('purchase.completed', isOurs);
  t.deepEqual(completed.data, {
    purchase_id: purchaseId,
    user_id: person.id,
    product_id: demo.products[0]!.id,
    gross_minor: 1800,
    currency: 'EUR',
  });
  const created = await receiver.waitFor('entitlement.created', isOurs);
  t.like(created.data, { active: true, type: 'purchase', source: purchaseId, ends_at: null });
  const after = await checkAccess(demo, key);
  t.like(after, { active: true, type: 'purchase', source: purchaseId, user_id: person.id });
  t.is(receiver.refused(), 0);

  const clicks = await database.query(
    `select source, campaign, raw from click where campaign is not null order by source`,
  );
  t.deepEqual(clicks, [
    { source: 'buy-link:github-readme', campaign: 'github-readme', raw: 'GitHub Readme' },
    // By whoever was refunded.
    { source: 'buy-link:store', campaign: 'store', raw: 'store' },
  ]);
  const [purchase] = await database.query<object>(
    'select service_source, service_campaign, service_campaign_raw from purchase where id = $1',
    [purchaseId],
  );
  t.deepEqual(purchase, {
    service_source: 'github',
    service_campaign: 'github-readme',
    service_campaign_raw: 'GitHub Readme',
  });
});

test('a declined card gives no access, and another card still succeeds', async (t) => {
  const { demo, database } = platform;
  const { person, pay } = await goToCheckout(demo, { handle: 'nil', path: `/buy/${slug}` });
  const declined = await pay(CARDS.declined);
  t.is(declined.location, null);
  t.regex(declined.html, /declined/i);
  const read = async () => {
    const [row] = await database.query<{ id: string; status: string }>(
      'select id, status from purchase where person_id = $1',
      [person.id],
    );
    return row;
  };
  const pending = await read();
  t.is(pending?.status, 'pending');
  t.like(await checkAccess(demo, { slug, personId: person.id }), { active: false });

  await pay(CARDS.succeeds);
  const cleared = await eventually(read, (row) => row?.status === 'cleared');
  const isOurs = (event: { data: Record<string, unknown> }) =>
    event.data['purchase_id'] === cleared?.id;
  await receiver.waitFor('purchase.completed', isOurs);
  t.like(await checkAccess(demo, { slug, personId: person.id }), { active: true });
});

test('for a product Included with Member a subscriber is active with type member and no purchase behind it', async (t) => {
  const { demo } = platform;
  const member = demo.people.find(({ roles }) => roles.includes('member'))!;
  const access = await checkAccess(demo, { slug: 'tide-table', personId: member.id });
  t.like(access, { active: true, type: 'member', source: 'member', ends_at: null });
  t.like(await checkAccess(demo, { slug, personId: member.id }), { active: false });
});

// First, while its statement has no other sale.
test.serial(
  'somebody buys and is refunded in the browser, and the receiver of the product hears of each step',
  async (t) => {
    const [buyer, seller] = [await newPage(), await newPage()];
    const purchaseId = await buy(buyer);
    await buyer.goto('/library');
    t.true(await buyer.getByRole('link', { name: 'Open Paper Trail' }).isVisible());
    await refund(seller, purchaseId);

    const isOurs = ({ data }: { data: Record<string, unknown> }) =>
      data['purchase_id'] === purchaseId;
    const received = [];
    for (const name of EVENTS) received.push(await receiver.waitFor(name, isOurs));
    t.like(received[2]!.data, { chargeback: false, gross_minor: received[0]!.data['gross_minor'] });
    t.like(received[3]!.data, { active: false, source: purchaseId });
    const ofOurs = receiver.received.filter(isOurs).map(({ event }) => event);
    t.deepEqual(ofOurs.toSorted(), EVENTS.toSorted(), 'each once');
    t.is(receiver.refused(), 0);

    await buyer.goto(`/purchases/${purchaseId}`);
    await buyer.locator('[data-status=refunded]').waitFor();
    await picture(buyer, 'buyer');
    await buyer.goto('/library');
    t.is(await buyer.getByRole('link', { name: 'Open Paper Trail' }).count(), 0);

    await follow(seller, seller.getByRole('link', { name: 'Statements' }));
    t.true(await seller.getByText('0.00', { exact: false }).first().isVisible());
    await picture(seller, 'statement');
    const download = seller.waitForEvent('download');
    await seller.getByRole('link', { name: 'Download CSV', exact: true }).click();
    t.regex((await download).suggestedFilename(), /^paper-trail-\d{4}-\d{2}\.csv$/);
  },
);
