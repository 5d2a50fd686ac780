import type { Browser, Page } from 'playwright-core';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';
import { SUBSCRIBABLE } from '../../../domain/webhooks/events.schema.ts';
import { fillSignIn, launchChromium } from '../pages/chromium.ts';
import { eventually } from '../eventually.ts';
import { priceMember } from './memberships.ts';
import { startPeople } from '../identity/people.ts';
import { startPostOffice } from '../identity/post-office.ts';
import { startReceiver, type Receiver } from '../webhooks/receiver.ts';
import { addEndpoint } from '../catalog/scene.ts';
import type { SeedPerson } from '../catalog/seed.ts';
import { passDays } from './passing.ts';
import { untilWaiting } from '../engines/temporal.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];
const PHONE = { width: 360, height: 760 };
const LOOKS = {
  desktop: { width: 1_280, colorScheme: 'light' },
  phone: { width: 360, colorScheme: 'light' },
  dark: { width: 360, colorScheme: 'dark' },
} as const;

/** The whole platform, a browser without JavaScript on a phone, and a seller whose receivers listen. */
export async function startRenewalJourney() {
  const people = await startPeople({ host: 'localhost', limits: { buy: 10_000 } });
  const { api } = people;
  const office = await startPostOffice({ ...people, taskQueues: ['money', 'access', 'mail'] });
  const { stage } = office;
  stage.startDispatcher();
  const browser: Browser = await launchChromium();
  const seller = await api.seed.person({ isBuilder: true });
  const account = await openReadyAccount(api.processor, seller.email);
  await api.seed.payoutAccount(seller, { account });
  await priceMember({ database: api.database, testDatabase: api.test });

  return {
    api,
    office,
    /** A product for 19.00 USD a month, with a receiver that hears of everything. */
    async sell(name: string, { isIncluded = false } = {}) {
      const sold = { owner: seller, name, prices: { USD: 1_900 }, includedWithMember: isIncluded };
      const product = await api.seed.product(sold);
      await api.test.query(`update offer set kind = 'monthly' where product_id = $1`, [product.id]);
      const receiver = await startReceiver();
      stage.closeLater(() => receiver.close());
      const { url, secret } = receiver;
      const told = {
        productId: product.id,
        url,
        secret,
        events: SUBSCRIBABLE.map(({ name }) => name),
      };
      await addEndpoint(api.test, { ...told, encryptor: stage.encryptor });
      return { ...product, receiver };
    },
    async newPage(): Promise<Page> {
      const context = await browser.newContext({
        baseURL: api.url,
        viewport: PHONE,
        javaScriptEnabled: false,
        reducedMotion: 'reduce',
      });
      return context.newPage();
    },
    /** A message that comes before the actor waits would share its next timer. */
    isWaiting: ({ workflowId }: { workflowId: string }, timers: number) =>
      untilWaiting(stage.client, { workflowId, timers }),
    pass: ({ workflowId }: { workflowId: string }, by: { timers: number; days?: number }) =>
      passDays(office, { workflowId, ...by }),
    async close() {
      await browser.close();
      await office.close();
      await api.close();
    },
  };
}

/** What a receiver was told, the oldest first, once so much was: each signed as it should be. */
export async function received({ hits }: Receiver, last: string): Promise<string[]> {
  const names = () =>
    hits
      .filter(({ isSigned }) => isSigned)
      .map(({ rawBody }) => (JSON.parse(rawBody.toString()) as { event: string }).event);
  return eventually(
    async () => names(),
    (found) => found.at(-1) === last,
  );
}

/** Looks again until the page says so. */
export async function untilShown(page: Page, path: string, selector: string): Promise<void> {
  await eventually(
    async () => {
      await page.goto(path);
      return page.locator(selector).count();
    },
    (found) => found > 0,
  );
}

/** After a month the session is over. */
export async function signInAgain(page: Page, person: SeedPerson): Promise<void> {
  await page.context().clearCookies();
  await page.goto('/sign-in');
  await fillSignIn(page, person);
}

export async function picture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  for (const [look, { width, colorScheme }] of Object.entries(LOOKS)) {
    await page.setViewportSize({ width, height: PHONE.height });
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${PICTURES}/${name}-${look}.png`, fullPage: true });
  }
  await page.setViewportSize(PHONE);
}
