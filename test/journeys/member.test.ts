import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { membershipActor } from '../../domain/outbox/actors.ts';
import { fillSignIn, follow, launchChromium, typeCard } from '../support/pages/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { priceMember } from '../support/subscriptions/memberships.ts';
import { passDays } from '../support/subscriptions/passing.ts';
import { startPeople } from '../support/identity/people.ts';
import { startPostOffice } from '../support/identity/post-office.ts';
import { CARDS } from '../support/purchases/simulator.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];

const people = await startPeople({ host: 'localhost', limits: { buy: 10_000 } });
const { api } = people;
const office = await startPostOffice({ ...people, taskQueues: ['money', 'access', 'mail'] });
const browser: Browser = await launchChromium();
await priceMember({ database: api.database, testDatabase: api.test });
test.after.always(async () => {
  await browser.close();
  await office.close();
  await api.close();
});

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/member-${name}.png`, fullPage: true });
}

const hasStatus = (page: Page, status: string) =>
  eventually(
    async () => {
      await page.goto('/member');
      return page.locator(`[data-status=${status}]`).count();
    },
    (found) => found === 1,
  );

test.serial(
  'subscribed, an Included product opened, cancelled, and over with its period',
  async (t) => {
    const [person, product] = [
      await api.seed.person(),
      await api.seed.product({ name: 'Paper Trail', includedWithMember: true }),
    ];
    const namesOf = async () => {
      const sql = 'select name from event where product_id = $1 order by created_at, id';
      return (await api.test.query<{ name: string }>(sql, [product.id])).map(({ name }) => name);
    };
    const viewport = { width: 360, height: 760 };
    const context = await browser.newContext({
      baseURL: api.url,
      viewport,
      colorScheme: 'dark',
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    await page.goto('/member');
    await picture(page, 'offer');
    await follow(page, page.getByRole('button', { name: /Subscribe for 9\.99 USD/ }));
    await fillSignIn(page, person);
    await typeCard(page, CARDS.succeeds);
    await hasStatus(page, 'active');
    await picture(page, 'active');

    await page.goto('/library');
    await picture(page, 'library');
    await follow(page, page.getByRole('button', { name: 'Open Paper Trail' }));
    await picture(page, 'opened');
    t.is(new URL(page.url()).pathname, `/p/${product.slug}`);
    t.deepEqual(await namesOf(), ['entitlement.created']);

    await page.goto('/member');
    await follow(page, page.getByRole('button', { name: 'Cancel' }));
    await picture(page, 'cancel');
    await follow(page, page.getByRole('button', { name: 'Cancel membership' }));
    await hasStatus(page, 'canceling');
    await picture(page, 'canceling');
    await eventually(namesOf, (names) => names.includes('entitlement.canceled'));

    const [row] = await api.test.query<{ id: string }>('select id from membership');
    const { workflowId } = membershipActor(row!.id);
    await passDays(office, { workflowId, timers: 2, days: 31 });
    await eventually(namesOf, (names) => names.includes('entitlement.expired'));
    await page.goto('/sign-in');
    await fillSignIn(page, person);
    await hasStatus(page, 'ended');
    await picture(page, 'ended');
    t.true(await page.getByRole('button', { name: /Subscribe for 9\.99 USD/ }).isVisible());
    await page.goto('/library');
    t.is(await page.getByText('Paper Trail').count(), 0);
  },
);
