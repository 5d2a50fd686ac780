import test from 'ava';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/chromium.ts';
import { startPeople, type People } from '../support/people.ts';

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
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.goto('/settings/security');
  await page.getByLabel('Name of the new passkey').fill('My laptop');
  const form = page.locator('form[data-passkey]');
  await form.getByLabel('Your password').fill(person.password);
  await form.getByRole('button').click();
  await page.waitForURL('**/settings/security?notice=passkey_added');
  t.true(await page.getByText('My laptop', { exact: true }).isVisible());

  await context.clearCookies();
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${api.url}/`);
  await page.goto('/library');
  t.is(new URL(page.url()).pathname, '/library');
  t.deepEqual(refusals, [], 'the policy of the pages lets all of it happen');
});

test('without JavaScript the page offers no passkey, and all else works', async (t) => {
  const { api } = people;
  const person = await api.seed.person();
  const context = await browser!.newContext({ baseURL: api.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/sign-in');
  t.false(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible());
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.goto('/settings/profile');
  await page.getByLabel('Display name').fill('Somebody Else');
  await page.getByRole('button', { name: 'Save' }).click();
  t.true(await page.getByText('Saved.').isVisible());
});

test('the pages of an account fit a phone', async (t) => {
  const { api } = people;
  const person = await api.seed.person();
  const context = await browser!.newContext({
    baseURL: api.url,
    viewport: { width: 360, height: 740 },
  });
  const page = await context.newPage();
  const fits = async (path: string) => {
    await page.goto(path);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    t.true(Number(width) <= 360, `${path} is ${width} wide`);
  };
  for (const path of ['/sign-in', '/sign-up', '/forgot-password', '/check-mail']) await fits(path);
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  for (const path of ['profile', 'security', 'delete-account', 'purchases']) {
    await fits(`/settings/${path}`);
  }
});
