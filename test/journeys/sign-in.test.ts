import test, { type ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import type { ClientKind } from '../../domain/oauth/clients/redirect-uri.ts';
import { eventually } from '../support/eventually.ts';
import { startApp, type App } from '../support/apps/app.ts';
import { signInByOauth4webapi, signInByOpenidClient } from '../support/apps/libraries.ts';
import { singlePageFiles } from '../support/apps/single-page.ts';
import { PASSWORD, startPeople } from '../support/identity/people.ts';
import { makeStale } from '../support/identity/proving.ts';
import {
  addVirtualAuthenticator,
  fillSignIn,
  follow,
  launchChromium,
} from '../support/pages/chromium.ts';

const people = await startPeople({ host: 'localhost', limits: { authorize: 10_000 } });
const { api } = people;
const product = await api.seed.product();
let browser: Browser;

test.before(async () => {
  browser = await launchChromium();
});
test.after.always(async () => {
  await browser?.close();
  await api.close();
});

const LIBRARIES = { 'openid-client': signInByOpenidClient, oauth4webapi: signInByOauth4webapi };

/** An app that listens, registered as its kind is: a native one without its port. */
async function newApp(kind: ClientKind, library: keyof typeof LIBRARIES): Promise<App> {
  const app = await startApp();
  const registered = kind === 'native' ? 'http://127.0.0.1/callback' : app.redirectUri;
  const client = await api.seed.client({ product, kind, redirectUris: [registered] });
  app.signIn = await LIBRARIES[library]({
    issuer: api.url,
    client: { ...client, redirectUri: app.redirectUri },
  });
  return app;
}

async function newPerson() {
  const person = await api.seed.person();
  await api.seed.grant({ productId: product.id, personId: person.id });
  return { person, page: await (await browser.newContext()).newPage() };
}

const answerConsent = (page: Page, name: 'Allow' | 'Do not allow') =>
  follow(page, page.getByRole('button', { name, exact: true }));

async function isBack(
  t: ExecutionContext,
  page: Page,
  { person, at }: { person: { id: string }; at: string },
) {
  // The second click of two ends the navigation of the first.
  await eventually(() => page.url().startsWith(`${at}?`), Boolean);
  const profile = JSON.parse(await page.locator('pre', { hasText: person.id }).innerText());
  t.like(profile, { id: person.id, entitlement: { product_id: product.id, active: true } });
}

for (const library of ['openid-client', 'oauth4webapi'] as const) {
  for (const kind of ['confidential', 'public', 'native'] as const) {
    test.serial(
      `${library} in a ${kind} app: sign-in, consent, callback, exchange, profile`,
      async (t) => {
        const app = await newApp(kind, library);
        const { person, page } = await newPerson();
        await page.goto(app.url);
        await fillSignIn(page, person);
        await answerConsent(page, 'Allow');
        await isBack(t, page, { person, at: app.redirectUri });

        await page.goto(app.url);
        t.true(page.url().startsWith(`${api.url}/oauth/authorize?`), 'signed in, asked again');
        await answerConsent(page, 'Allow');
        await isBack(t, page, { person, at: app.redirectUri });

        await page.goto(app.url);
        await answerConsent(page, 'Do not allow');
        await page.waitForURL(/error=access_denied/);
        t.is(await page.locator('body').innerText(), 'access_denied');
        await app.close();
      },
    );
  }
}

test.serial(
  'oauth4webapi inside the browser: a single-page app calls across origins',
  async (t) => {
    const app = await startApp(singlePageFiles());
    const redirectUri = `${app.url}/spa`;
    const client = await api.seed.client({ product, kind: 'public', redirectUris: [redirectUri] });
    const { person, page } = await newPerson();
    const start = `${redirectUri}?${new URLSearchParams({ issuer: api.url, client_id: client.clientId })}`;
    await page.goto(start);
    await page.waitForURL('**/sign-in');
    await fillSignIn(page, person);
    await answerConsent(page, 'Allow');
    await isBack(t, page, { person, at: redirectUri });

    await page.goto(start);
    await answerConsent(page, 'Do not allow');
    await page.getByText('access_denied').waitFor();
    await app.close();
  },
);

/** What programs that trace or fetch for a page add to its requests. */
const ADDED_HEADERS = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  baggage: 'sentry-environment=test',
  'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
  'x-requested-with': 'XMLHttpRequest',
};

type Asked = { method?: string; headers: Record<string, string>; body?: string };

test.serial(
  'a page of another origin reads profile and usage, whatever headers its programs add',
  async (t) => {
    const app = await startApp({ '/page': '<!doctype html><title>App</title>' });
    const { page } = await newPerson();
    const { token } = await api.seed.token({ product });
    await page.goto(`${app.url}/page`);
    const ask = (path: string, init: Asked) =>
      page.evaluate(
        async ([url, options]) => {
          const { status, headers } = await fetch(url, options);
          return { status, exposed: [...headers.keys()] };
        },
        [`${api.url}${path}`, init] as const,
      );
    const headers = { authorization: `Bearer ${token}`, ...ADDED_HEADERS };
    const body = JSON.stringify({ kind: 'activity' });
    for (const answer of [
      await ask('/api/v1/me', { headers }),
      await ask('/api/v1/usage', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      }),
    ]) {
      t.is(answer.status, 200);
      t.true(answer.exposed.includes('ratelimit-remaining'));
      t.true(answer.exposed.includes('x-request-id'));
    }
    await t.throwsAsync(ask('/api/health', { headers }), { message: /Failed to fetch/ });
    await app.close();
  },
);

test.serial('a double click on Allow ends at the app, signed in', async (t) => {
  for (const library of ['openid-client', 'oauth4webapi'] as const) {
    const app = await newApp('confidential', library);
    const { person, page } = await newPerson();
    await page.goto(app.url);
    await fillSignIn(page, person);
    await page.getByRole('button', { name: 'Allow', exact: true }).dblclick();
    await isBack(t, page, { person, at: app.redirectUri });
    await app.close();
  }
});

test.serial(
  'whoever takes access back in the settings is asked again, and may come back',
  async (t) => {
    const app = await newApp('confidential', 'openid-client');
    const { person, page } = await newPerson();
    await page.goto(app.url);
    await fillSignIn(page, person);
    await answerConsent(page, 'Allow');
    await isBack(t, page, { person, at: app.redirectUri });
    await page.goto(`${api.url}/settings/apps`);
    await page.locator('summary', { hasText: 'Revoke access' }).click();
    await follow(page, page.getByRole('button', { name: 'Revoke access' }));
    t.true(await page.getByText('No connected apps').isVisible());
    await page.goto(app.url);
    await answerConsent(page, 'Allow');
    await isBack(t, page, { person, at: app.redirectUri });
    await app.close();
  },
);

async function addPasskey(page: Page, name: string, password: string) {
  await page.goto('/settings/security');
  await page.getByText('Add a passkey', { exact: true }).click();
  await page.getByLabel('Passkey name').fill(name);
  const form = page.locator('form[data-passkey]');
  await form.getByLabel('Your password').fill(password);
  await form.getByRole('button').click();
  await page.locator('[data-notice=passkey_added]').waitFor();
}

test('in a real browser a passkey is added, and signs in without a password', async (t) => {
  const person = await api.seed.person();
  const context = await browser.newContext({ baseURL: api.url });
  const page = await context.newPage();
  const refusals: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') refusals.push(message.text());
  });
  await addVirtualAuthenticator(page);
  await page.goto('/sign-in');
  await fillSignIn(page, person);
  await addPasskey(page, 'My laptop', person.password);
  t.true(await page.locator('.rows strong', { hasText: 'My laptop' }).isVisible());

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
  await page.goto(`/console/products/${product.slug}/keys#new-key`);
  await page.getByLabel('Name').fill('By passkey');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await page.locator('[data-fresh]').first().waitFor();
  t.true(await page.getByText('By passkey').first().isVisible());
});

test('a passkey whose toJSON throws is added, and signs in', async (t) => {
  const person = await api.seed.person();
  const context = await browser.newContext({ baseURL: api.url });
  await context.addInitScript(`PublicKeyCredential.prototype.toJSON = () => {
    throw new TypeError('Illegal invocation');
  };`);
  const page = await context.newPage();
  await addVirtualAuthenticator(page);
  await page.goto('/sign-in');
  await fillSignIn(page, person);
  await addPasskey(page, 'From a manager', person.password);
  await context.clearCookies();
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${api.url}/`);
  await page.goto('/library');
  t.is(new URL(page.url()).pathname, '/library');
});

test('without JavaScript the page offers no passkey, and all else works', async (t) => {
  const person = await api.seed.person();
  const context = await browser.newContext({ baseURL: api.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/sign-in');
  t.false(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible());
  await fillSignIn(page, person);
  await page.goto('/settings/profile');
  await page.getByLabel('Display name').fill('Somebody Else');
  await follow(page, page.getByRole('button', { name: 'Save profile' }));
  t.true(await page.getByText('Saved.').isVisible());
});

test('in a real browser somebody signs up with a passkey alone, confirms the address, and signs in', async (t) => {
  const context = await browser.newContext({ baseURL: api.url });
  const page = await context.newPage();
  const refusals: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('422'))
      refusals.push(message.text());
  });
  await addVirtualAuthenticator(page);
  const email = people.newEmail();
  await page.goto('/sign-up');
  await follow(page, page.getByRole('link', { name: 'Sign up with a passkey' }));
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
  t.is(page.url(), `${api.url}/`);
  await context.clearCookies();
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(`${api.url}/`);
  await page.goto('/settings/security');
  t.true(await page.getByText('Your only way to sign in').isVisible());
  t.true(await page.getByText('You have no password. You sign in with a passkey.').isVisible());
  await page.getByText('Choose a password').first().click();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Choose a password' }).click();
  await page.locator('[data-notice=password_changed]').waitFor();
  await page.locator('main summary', { hasText: 'Remove' }).click();
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
  const context = await browser.newContext({ baseURL: api.url, javaScriptEnabled: false });
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
