import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { startReceiver } from '../../dev/demo/receiver.ts';
import { fillSignIn, follow, launchChromium, typeCard } from '../support/pages/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type Platform } from '../support/engines/platform.ts';
import { CARDS } from '../support/purchases/simulator.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];

const PRODUCT = 'paper-trail';
const EVENTS = [
  'purchase.completed',
  'entitlement.created',
  'purchase.refunded',
  'entitlement.refunded',
];

let platform: Platform;
let browser: Browser;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

test.before(async () => {
  platform = await startPlatform();
  browser = await launchChromium();
  const endpoint = platform.demo.products[0]!.endpoints[0]!;
  receiver = await startReceiver(endpoint.url, endpoint.secret);
});

test.after.always(async () => {
  await browser?.close();
  await receiver?.close();
  await platform?.stop();
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
  await page.goto(`/p/${PRODUCT}`);
  await follow(page, page.getByRole('button', { name: /^Buy for/ }).first());
  await fillSignIn(page, personOf('bob'));
  await typeCard(page, CARDS.succeeds);
  await page.locator('[data-status=cleared]').waitFor();
  return new URL(page.url()).pathname.split('/').at(-1)!;
}

/** By the seller, from the list of purchases. */
async function refund(page: Page, purchaseId: string): Promise<void> {
  await page.goto('/sign-in');
  await fillSignIn(page, personOf('ada'));
  await page.goto(`/console/products/${PRODUCT}/purchases`);
  await follow(page, page.locator(`a[href$="${purchaseId}"]`));
  await picture(page, 'sale');
  await follow(page, page.getByRole('button', { name: 'Refund' }));
  await picture(page, 'confirm');
  await follow(page, page.getByRole('main').getByRole('button', { name: /refund|send/i }));
  const mark = page.locator('[data-state=refunded]');
  await eventually(
    async () => {
      await page.reload();
      return mark.count();
    },
    (count) => count > 0,
  );
  await picture(page, 'refunded');
}

test('somebody buys and is refunded in the browser, and the receiver of the product hears of each step', async (t) => {
  const [buyer, seller] = [await newPage(), await newPage()];
  const purchaseId = await buy(buyer);
  await buyer.goto('/library');
  t.true(await buyer.getByRole('button', { name: 'Open Paper Trail' }).isVisible());
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
  t.is(await buyer.getByRole('button', { name: 'Open Paper Trail' }).count(), 0);

  await follow(seller, seller.getByRole('link', { name: 'Statements' }));
  t.true(await seller.getByText('0.00', { exact: false }).first().isVisible());
  await picture(seller, 'statement');
  const download = seller.waitForEvent('download');
  await seller.getByRole('link', { name: 'Download entries as CSV' }).click();
  t.regex((await download).suggestedFilename(), /^paper-trail-\d{4}-\d{2}\.csv$/);
});
