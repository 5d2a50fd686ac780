import test, { type ExecutionContext } from 'ava';
import type { Browser, Page } from 'playwright-core';
import type { ClientKind } from '../../domain/oauth/clients/redirect-uri.ts';
import { startApi } from '../support/http/api.ts';
import { startApp, type App } from '../support/apps/app.ts';
import { signInByOauth4webapi, signInByOpenidClient } from '../support/apps/libraries.ts';
import { singlePageFiles } from '../support/apps/single-page.ts';
import { fillSignIn, follow, launchChromium } from '../support/pages/chromium.ts';

const api = await startApi({ limits: { authorize: 10_000, sign_in: 10_000 } });
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
  await page.waitForURL((url) => url.href.startsWith(`${at}?`));
  await page.getByText(person.id).waitFor();
  const profile = JSON.parse(await page.locator('pre').innerText()) as object;
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
    await follow(page, page.getByRole('button', { name: 'Revoke access' }));
    t.true(await page.getByText('No connected apps.').isVisible());
    await page.goto(app.url);
    await answerConsent(page, 'Allow');
    await isBack(t, page, { person, at: app.redirectUri });
    await app.close();
  },
);
