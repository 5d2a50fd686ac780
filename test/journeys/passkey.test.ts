import test from 'ava';
import type { Browser } from 'playwright-core';
import {
  addVirtualAuthenticator,
  fillSignIn,
  follow,
  launchChromium,
} from '../support/pages/chromium.ts';
import { PASSWORD, startPeople, type People } from '../support/identity/people.ts';
import { makeStale } from '../support/identity/proving.ts';

let people: People;
let browser: Browser | undefined;

test.before(async () => {
  people = await startPeople({ host: 'localhost' });
  browser = await launchChromium();
});
test.after.always(async () => {
  await browser?.close();
  await people?.api.close();
});

test('in a real browser a passkey is added, and signs in without a password', async (t) => {
  const { api } = people;
  const person = await api.seed.person();
  const context = await browser!.newContext({ baseURL: api.url });
  const page = await context.newPage();
  const refusals: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') refusals.push(message.text());
  });
  await addVirtualAuthenticator(page);
  await page.goto('/sign-in');
  await fillSignIn(page, person);
  await page.goto('/settings/security');
  await page.getByLabel('Passkey name').fill('My laptop');
  const form = page.locator('form[data-passkey]');
  await form.getByLabel('Your password').fill(person.password);
  await form.getByRole('button').click();
  await page.locator('[data-notice=passkey_added]').waitFor();
  t.true(await page.getByText('My laptop', { exact: true }).isVisible());

  await context.clearCookies();
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${api.url}/`);
  await page.goto('/library');
  t.is(new URL(page.url()).pathname, '/library');
  t.deepEqual(refusals, [], 'the policy of the pages lets all of it happen');

  await api.test.query('update person set builder_verified_at = now() where id = $1', [person.id]);
  const product = await api.seed.product({ owner: person });
  await makeStale(api, person);
  await page.goto(`/console/products/${product.slug}/keys`);
  await page.getByLabel('Name').fill('By passkey');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await page.locator('[data-fresh]').first().waitFor();
  t.true(await page.getByText('By passkey').first().isVisible());
});

test('without JavaScript the page offers no passkey, and all else works', async (t) => {
  const { api } = people;
  const person = await api.seed.person();
  const context = await browser!.newContext({ baseURL: api.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/sign-in');
  t.false(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible());
  await fillSignIn(page, person);
  await page.goto('/settings/profile');
  await page.getByLabel('Display name').fill('Somebody Else');
  await follow(page, page.getByRole('button', { name: 'Save' }));
  t.true(await page.getByText('Saved.').isVisible());
});

test('in a real browser somebody signs up with a passkey alone, confirms the address, and signs in', async (t) => {
  const { api } = people;
  const context = await browser!.newContext({ baseURL: api.url });
  const page = await context.newPage();
  const refusals: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('422'))
      refusals.push(message.text());
  });
  await addVirtualAuthenticator(page);
  const email = people.newEmail();
  await page.goto('/sign-up');
  await follow(page, page.getByRole('link', { name: 'Sign up with a passkey instead' }));
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Handle').fill((await api.seed.person()).handle);
  await page.getByLabel('Display name').fill('A Newcomer');
  const create = page.getByRole('button', { name: 'Create a passkey and sign up' });
  await create.click();
  await page.getByText('This handle is taken').waitFor();
  t.is(await page.getByLabel('Email').inputValue(), email);
  await page.getByLabel('Handle').fill('by_passkey_only');
  await create.dblclick();
  await page.waitForURL('**/check-mail');

  await page.goto(await people.linkTo(email, 'verify_email'));
  await follow(page, page.getByRole('button', { name: 'Confirm email address' }));
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${api.url}/`);
  await page.goto('/settings/security');
  t.true(await page.getByText('Your only way to sign in').isVisible());
  t.true(await page.getByText('You have no password. You sign in with a passkey.').isVisible());
  await page.getByText('Choose a password').first().click();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Choose a password' }).click();
  await page.locator('[data-notice=password_changed]').waitFor();
  await page.getByText('Remove', { exact: true }).click();
  const removal = page.locator('form[action$="/passkeys/remove"]');
  await removal.getByLabel('Your password').fill(PASSWORD);
  await removal.getByRole('button', { name: 'Remove passkey' }).click();
  await page.locator('[data-notice=passkey_removed]').waitFor();
  await context.clearCookies();
  await page.goto('/sign-in');
  await fillSignIn(page, { email, password: PASSWORD });
  t.is(page.url(), `${api.url}/`);
  t.deepEqual(refusals, [], 'the policy of the pages lets all of it happen');
});

test('without JavaScript the sign-up with a passkey says so, and the one with a password works', async (t) => {
  const { api } = people;
  const context = await browser!.newContext({ baseURL: api.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/sign-up/passkey');
  t.regex(await page.locator('noscript > p').innerText(), /Passkeys need JavaScript/);
  t.true(await page.locator('noscript > p').isVisible());
  t.false(await page.getByLabel('Email').isVisible());
  await follow(page, page.getByRole('link', { name: 'Sign up with a password' }).first());
  await page.getByLabel('Email').fill(people.newEmail());
  await page.getByLabel('Handle').fill('without_script');
  await page.getByLabel('Display name').fill('Without Script');
  await page.getByLabel('Password').fill(PASSWORD);
  await follow(page, page.getByRole('button', { name: 'Sign up' }));
  t.is(new URL(page.url()).pathname, '/check-mail');
});
