import test from 'ava';
import type { Browser } from 'playwright-core';
import { fillSignIn, launchChromium } from '../support/pages/chromium.ts';
import { startPeople } from '../support/identity/people.ts';

const people = await startPeople({ host: 'localhost' });
const { api } = people;
const browser: Browser = await launchChromium();
const owner = await api.seed.person({ isBuilder: true });
const product = await api.seed.product({ owner });
const path = `/console/products/${product.slug}/share`;
test.after.always(async () => {
  await browser.close();
  await api.close();
});

async function openShare(javaScriptEnabled: boolean, permissions: string[]) {
  const context = await browser.newContext({ baseURL: api.url, javaScriptEnabled });
  await context.grantPermissions(permissions, { origin: api.url });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await fillSignIn(page, owner);
  await page.goto(path);
  return page;
}

test.serial('a copy button copies its text, and says so', async (t) => {
  const page = await openShare(true, ['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy product id' }).click();
  await page.getByText('Copied').waitFor();
  t.is(await page.evaluate('navigator.clipboard.readText()'), product.id);
  await page.getByRole('button', { name: /Copy buy link/ }).click();
  await page.getByText('Copied').nth(1).waitFor();
  t.regex(await page.evaluate<string>('navigator.clipboard.readText()'), /\/buy\//);
});

test.serial(
  'without JavaScript there is no dead button, and a click selects the text',
  async (t) => {
    const page = await openShare(false, []);
    t.is(await page.getByRole('button', { name: /^Copy/ }).count(), 0);
    t.true(await page.locator('#product-id').isVisible());
    await page.getByLabel('Source').fill('launch week');
    await page.getByRole('button', { name: 'Build links' }).click();
    await page.getByText('launch-week', { exact: true }).waitFor();
    t.true(
      (await page.locator(`#buy-${product.offerId}-USD`).innerText()).endsWith('?src=launch+week'),
    );
  },
);
