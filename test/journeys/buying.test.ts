import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { Product } from '../../domain/catalog/product.entity.ts';
import { startApp } from '../support/apps/app.ts';
import { fillSignIn, follow, launchChromium, typeCard } from '../support/pages/chromium.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { startPostOffice } from '../support/identity/post-office.ts';
import { CARDS } from '../support/purchases/simulator.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';

/** A folder for pictures of what was seen, for whoever wants to look. */
const PICTURES = process.env['GATEHOUSE_PICTURES'];

const people = await startPeople({ host: 'localhost', limits: { buy: 10_000 } });
const { api } = people;
const office = await startPostOffice({ ...people, taskQueues: ['money', 'access', 'mail'] });
const browser: Browser = await launchChromium();
const seller = await api.seed.person({ isBuilder: true });
const account = await openReadyAccount(api.processor, seller.email);
await api.seed.payoutAccount(seller, { account });
test.after.always(async () => {
  await browser.close();
  await office.close();
  await api.close();
});

const sell = (name: string) =>
  api.seed.product({ owner: seller, name, prices: { USD: 1_250, BRL: 5_900 } });

async function newPage(colorScheme: 'light' | 'dark' = 'light', width = 1_280): Promise<Page> {
  const viewport = { width, height: 760 };
  const context = await browser.newContext({ baseURL: api.url, colorScheme, viewport });
  return context.newPage();
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/buying-${name}.png`, fullPage: true });
}

const hasStatus = (page: Page, status: string) => page.locator(`[data-status=${status}]`).waitFor();

const reasonOn = (page: Page) => page.locator('[data-reason]').getAttribute('data-reason');

const clicksOf = async ({ id }: { id: string }) =>
  (await api.test.query('select 1 from click where product_id = $1', [id])).length;

test.serial(
  'bought in USD: from the product page to the receipt, its mail and the library',
  async (t) => {
    const [product, person] = [await sell('Paper Trail'), await api.seed.person()];
    const page = await newPage();
    const website = `${office.pageUrl}/products/paper-trail`;
    await api.database.em().nativeUpdate(Product, { id: product.id }, { websiteUrl: website });
    await page.goto(`/p/${product.slug}`);
    await picture(page, 'product');
    await follow(page, page.getByRole('link', { name: 'Buy for 12.50 USD' }));
    await fillSignIn(page, person);
    t.true(await page.getByText('12.50 USD').first().isVisible());
    await picture(page, 'checkout');
    await typeCard(page, CARDS.succeeds);
    await hasStatus(page, 'cleared');
    await picture(page, 'cleared');
    await follow(page, page.getByRole('link', { name: 'Receipt' }));
    t.true(await page.locator('main').getByText('Person').first().isVisible());
    await picture(page, 'receipt');
    await page.emulateMedia({ media: 'print' });
    t.false(await page.getByRole('navigation', { name: 'Main' }).isVisible());
    t.true(await page.locator('.receipt').isVisible());
    await picture(page, 'receipt-on-paper');
    await page.emulateMedia({ media: 'screen' });

    const mail = await office.mailTo(person.email, /Your receipt for Paper Trail/);
    t.regex(mail.text, /Paid: 12\.50 USD/);
    t.regex(mail.text, /Nothing was added to the price/);
    t.notRegex(mail.text, /taxes/);
    t.true(mail.text.includes(`Open Paper Trail:\n${website}`));
    t.true(mail.html!.includes(`href="${website}"`));
    await page.goto(/View receipt:\n(\S+)/.exec(mail.text)![1]!);
    await page.locator('.receipt').waitFor();
    await page.goto('/settings/purchases');
    t.true(await page.getByRole('link', { name: 'Receipt for Paper Trail' }).isVisible());
    await picture(page, 'purchases');
    await page.goto('/library');
    await picture(page, 'library');
    await follow(page, page.getByRole('link', { name: 'Open Paper Trail' }));
    t.is(page.url(), website);

    await page.goto(`/buy/${product.slug}?src=docs`);
    t.is(await reasonOn(page), 'already_owned');
    t.is(await page.getByRole('link', { name: /Buy/ }).count(), 0);
    t.true(await page.getByRole('link', { name: 'Open Paper Trail' }).isVisible());
    await picture(page, 'already-owned');
    t.is(office.mailbox.mails.filter(({ to }) => to[0] === person.email).length, 1);
    t.is(await clicksOf(product), 2);
  },
);

test.serial('bought in BRL, on a phone, in the dark', async (t) => {
  const [product, person] = [await sell('Tide Table'), await api.seed.person()];
  const page = await newPage('dark', 360);
  await page.goto(`/p/${product.slug}`);
  await picture(page, 'product-phone-dark');
  await page.locator('.segment').getByText('BRL').click();
  await follow(page, page.getByRole('link', { name: 'Buy for 59.00 BRL' }));
  await fillSignIn(page, person);
  await typeCard(page, CARDS.succeeds);
  await hasStatus(page, 'cleared');
  await follow(page, page.getByRole('link', { name: 'Receipt' }));
  t.true(await page.getByText('59.00 BRL').first().isVisible());
  await picture(page, 'receipt-phone-dark');
  const mail = await office.mailTo(person.email, /Your receipt for Tide Table/);
  t.regex(mail.text, /Paid: 59\.00 BRL/);
});

test.serial(
  'a currency that is not offered leads to the product page with the reason, before any sign-in',
  async (t) => {
    const product = await sell('Night Shift');
    const page = await newPage();
    for (const [currency, reason] of [
      ['GBP', 'currency_not_offered'],
      ['XAU', 'currency_unknown'],
    ] as const) {
      await page.goto(`/buy/${product.slug}?currency=${currency}`);
      t.is(new URL(page.url()).pathname, `/p/${product.slug}`);
      t.is(await reasonOn(page), reason);
      t.true(await page.getByRole('link', { name: 'Buy for 12.50 USD' }).isVisible());
    }
    await picture(page, 'refused-currency');
  },
);

test.serial(
  'a product that is unlisted while the buyer signs in is refused in place, without a button',
  async (t) => {
    const [product, person] = [await sell('Gone Soon'), await api.seed.person()];
    const page = await newPage();
    await page.goto(`/buy/${product.slug}`);
    await api.database.em().nativeUpdate(Product, { id: product.id }, { state: 'unlisted' });
    await fillSignIn(page, person);
    t.is(await reasonOn(page), 'not_listed');
    t.is(await page.getByRole('link', { name: /Buy/ }).count(), 0);
    await picture(page, 'unlisted');
  },
);

test.serial('a product that is unlisted while the buyer pays is theirs all the same', async (t) => {
  const [product, person] = [await sell('Just in Time'), await api.seed.person()];
  const page = await newPage();
  await page.goto(`/buy/${product.slug}`);
  await fillSignIn(page, person);
  await api.database.em().nativeUpdate(Product, { id: product.id }, { state: 'unlisted' });
  await typeCard(page, CARDS.succeeds);
  await hasStatus(page, 'cleared');
  await page.goto('/library');
  t.true(await page.getByText('Just in Time').isVisible());
});

test.serial(
  'somebody who signs up in the middle of buying pays in the end, with one click',
  async (t) => {
    const product = await sell('First Thing');
    const [page, email] = [await newPage(), people.newEmail()];
    await page.goto(`/p/${product.slug}`);
    await page.locator('.segment').getByText('BRL').click();
    await follow(page, page.getByRole('link', { name: 'Buy for 59.00 BRL' }));
    await follow(page, page.getByRole('main').getByRole('link', { name: 'Sign up', exact: true }));
    const named = (step: string) =>
      page.getByText(`${step} to continue buying First Thing.`).isVisible();
    t.true(await named('Sign up'));
    await picture(page, 'sign-up-while-buying');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Handle').fill('in_the_middle');
    await page.getByLabel('Display name').fill('Newcomer');
    await page.getByLabel('Password').fill(PASSWORD);
    await follow(page, page.getByRole('button', { name: 'Sign up', exact: true }));
    t.true(await named('Follow it in this browser'));
    const mail = await office.mailTo(email, /confirm your email/i);
    await page.goto(office.linkIn(mail.text));
    await follow(page, page.getByRole('button', { name: 'Confirm email address' }));
    t.true(await page.getByText('59.00 BRL').first().isVisible());
    await typeCard(page, CARDS.succeeds);
    await hasStatus(page, 'cleared');
    t.is(await clicksOf(product), 1);
  },
);

test.serial(
  'somebody who leaves the checkout comes back, discards it, and starts again',
  async (t) => {
    const [product, person] = [await sell('Second Thoughts'), await api.seed.person()];
    const page = await newPage('dark', 360);
    await page.goto(`/buy/${product.slug}`);
    await fillSignIn(page, person);
    await follow(page, page.getByRole('link', { name: 'Cancel and go back' }));
    t.true(await page.getByText("You left the checkout. You weren't charged.").isVisible());
    await picture(page, 'left-phone-dark');
    await follow(page, page.getByRole('link', { name: 'Continue: Second Thoughts' }));
    t.true(await page.getByText('12.50 USD').first().isVisible());
    await page.goto('/settings/purchases');
    await picture(page, 'unfinished-phone-dark');
    await follow(page, page.getByRole('button', { name: 'Discard: Second Thoughts' }));
    t.true(await page.getByText('Checkout discarded.').isVisible());
    await page.goto(`/buy/${product.slug}`);
    await typeCard(page, CARDS.succeeds);
    await hasStatus(page, 'cleared');
  },
);

test.serial('the badge is a picture on a page of somebody else', async (t) => {
  const product = await sell('Shown Elsewhere');
  const page = await newPage();
  const sources = [`/p/${product.slug}/badge`, '/p/never-was/badge'].map((path) => api.url + path);
  const pictures = sources.map((src) => `<p><img src="${src}"></p>`).join('');
  const elsewhere = await startApp({ '/page': `<!doctype html><title>App</title>${pictures}` });
  t.teardown(elsewhere.close);
  await page.goto(`${elsewhere.url}/page`);
  const widths = await page.evaluate(
    'Promise.all([...document.images].map((image) => image.decode().then(() => image.naturalWidth, () => 0)))',
  );
  t.deepEqual(widths, [142, 162]);
  await picture(page, 'badges');
});
