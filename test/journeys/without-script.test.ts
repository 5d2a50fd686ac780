import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { startApp } from '../support/apps/app.ts';
import { signInByOpenidClient } from '../support/apps/libraries.ts';
import { fillSignIn, follow, launchChromium } from '../support/pages/chromium.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { makeStale } from '../support/identity/proving.ts';

const people = await startPeople({ host: 'localhost', limits: { authorize: 10_000 } });
const { api } = people;
const browser: Browser = await launchChromium();
test.after.always(async () => {
  await browser.close();
  await api.close();
});

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ baseURL: api.url, javaScriptEnabled: false });
  return context.newPage();
}

const press = (page: Page, name: string) =>
  follow(page, page.getByRole('button', { name, exact: true }));

const pathOf = (page: Page) => new URL(page.url()).pathname;

async function signedIn() {
  const [page, person] = [await newPage(), await api.seed.person({ isBuilder: true })];
  await page.goto('/sign-in');
  await fillSignIn(page, person);
  return { page, person };
}

test.serial(
  'without JavaScript: sign-up, confirmation, sign-in, consent, settings and sign-out',
  async (t) => {
    const page = await newPage();
    const email = people.newEmail();
    await page.goto('/sign-up');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Handle').fill('scriptless');
    await page.getByLabel('Display name').fill('No Script');
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign up');
    t.is(pathOf(page), '/check-mail');
    await page.goto(await people.linkTo(email, 'verify_email'));
    await press(page, 'Confirm email address');
    await page.getByLabel('Account of').click();
    await press(page, 'Sign out');

    const app = await startApp();
    const product = await api.seed.product();
    const client = await api.seed.client({ product, redirectUris: [app.redirectUri] });
    app.signIn = await signInByOpenidClient({ issuer: api.url, client });
    await page.goto(app.url);
    await fillSignIn(page, { email, password: PASSWORD });
    await press(page, 'Allow');
    t.true(page.url().startsWith(`${app.redirectUri}?`));
    t.regex(await page.locator('body').innerText(), /"handle":"scriptless"/);
    await app.close();

    await page.goto('/settings/profile');
    await page.getByLabel('Display name').fill('Still None');
    await press(page, 'Save profile');
    t.true(await page.getByText('Saved.').isVisible());
    await page.goto('/settings/apps');
    await page.locator('summary', { hasText: 'Revoke access' }).click();
    await press(page, 'Revoke access');
    t.true(await page.getByText('No connected apps').isVisible());
    await page.getByLabel('Account of').click();
    await press(page, 'Sign out');
    t.is(pathOf(page), '/');
    await page.goto('/library');
    t.is(pathOf(page), '/sign-in');
  },
);

test.serial(
  'without JavaScript: a forgotten password, another password, and an account that goes',
  async (t) => {
    const { page, person } = await signedIn();
    await page.goto('/settings/security');
    await page.getByText('Change password').first().click();
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password').fill(PASSWORD);
    await press(page, 'Change password');
    t.true(await page.getByText('Your password was changed').isVisible());
    await press(page, 'Sign out everywhere');
    t.is(pathOf(page), '/sign-in');
    await page.goto('/forgot-password');
    await page.getByLabel('Email').fill(person.email);
    await press(page, 'Send link');
    await page.goto(await people.linkTo(person.email, 'reset_password'));
    await page.getByLabel('New password').fill(`${PASSWORD} again`);
    await press(page, 'Change password');
    await fillSignIn(page, { ...person, password: `${PASSWORD} again` });
    await page.goto('/settings/delete-account');
    await page.getByLabel('Your password').fill(`${PASSWORD} again`);
    await press(page, 'Delete account');
    t.true(await page.getByText('Your account was deleted.').isVisible());
  },
);

test.serial('without JavaScript: a key is made after confirming with the password', async (t) => {
  const { page, person } = await signedIn();
  const product = await api.seed.product({ owner: person });
  await makeStale(api, person);
  await page.goto(`/console/products/${product.slug}/keys`);
  await page.locator('summary').filter({ hasText: 'Create key' }).click();
  await page.getByLabel('Name').fill('Server of mine');
  await press(page, 'Create key');
  await page.getByLabel('Your password').fill('not this one');
  await press(page, 'Confirm');
  t.true(await page.getByText('The password is wrong.').isVisible());
  await page.getByLabel('Your password').fill(person.password);
  await press(page, 'Confirm');
  t.regex(await page.locator('[data-fresh] code').first().innerText(), /^gk_/);
  t.true(await page.getByText('Server of mine').first().isVisible());
});

test.serial(
  'without JavaScript: a client is registered, changed and deleted in the console',
  async (t) => {
    const { page, person } = await signedIn();
    const product = await api.seed.product({ owner: person });
    await page.goto(`/console/products/${product.slug}/clients`);
    await page.getByLabel('Name').fill('Desk');
    await page.getByLabel('Kind').selectOption('native');
    await page.getByLabel('Redirect URIs').fill('http://127.0.0.1/cb');
    await press(page, 'Create client');
    await page.getByText('Change redirect URIs', { exact: true }).click();
    await page.getByLabel('Redirect URIs').first().fill('com.example.desk:/cb\nnonsense');
    await press(page, 'Save redirect URIs');
    t.true(await page.getByText('is not an absolute URI').isVisible());
    await page.getByLabel('Redirect URIs').first().fill('com.example.desk:/cb');
    await press(page, 'Save redirect URIs');
    t.is(await page.locator('li > code').innerText(), 'com.example.desk:/cb');
    await page.getByText('Delete', { exact: true }).click();
    await press(page, 'Delete client');
    t.true(await page.getByText('No clients yet').isVisible());
  },
);

async function openShare(javaScriptEnabled: boolean, permissions: string[]) {
  const context = await browser.newContext({ baseURL: api.url, javaScriptEnabled });
  await context.grantPermissions(permissions, { origin: api.url });
  const page = await context.newPage();
  const owner = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner });
  await page.goto('/sign-in');
  await fillSignIn(page, owner);
  await page.goto(`/console/products/${product.slug}/share`);
  return { page, product };
}

test.serial('a copy button copies its text, and says so', async (t) => {
  const { page, product } = await openShare(true, ['clipboard-read', 'clipboard-write']);
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
    const { page, product } = await openShare(false, []);
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
