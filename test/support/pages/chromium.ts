import packaged from '@sparticuz/chromium';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';

// Playwright talks to a browser of several processes. A graphics processor made of software draws
// every frame at several times the cost of the browser's own painter.
const NOT_WANTED = [
  '--single-process',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  // Pages of other origins read what CORS lets them read, as in everybody's browser.
  '--disable-web-security',
];

// A page of a test is gone before code that was optimised for it pays.
const WANTED = ['--disable-gpu', '--js-flags=--no-opt --no-maglev'];

/** A real browser: the Chromium that comes as a package, so that every Linux machine has the same one. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await packaged.executablePath(),
    args: [...packaged.args.filter((given) => !NOT_WANTED.includes(given)), ...WANTED],
  });
}

/** Gives the page an authenticator that says yes by itself, like a laptop's with its owner at it. */
export async function addVirtualAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
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
}

/** Clicks, and waits for the page that it leads to: a click comes back before that one is whole. */
export async function follow(page: Page, target: Locator): Promise<void> {
  await page.waitForLoadState(); // or its own event would be taken for the next page's
  await Promise.all([page.waitForEvent('load'), target.click()]);
}

type Credentials = { email: string; password: string };

/** Signs in by the form that the page shows. */
export async function fillSignIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await follow(page, page.getByRole('button', { name: 'Sign in', exact: true }));
}

/** Pays by the form that the page shows. */
export async function typeCard(
  page: Page,
  card: string,
  button = /^(Pay|Subscribe)/,
): Promise<void> {
  await page.getByLabel('Card number').fill(card);
  await page.getByLabel('Expiry').fill('12 / 34');
  await page.getByLabel('CVC').fill('123');
  await follow(page, page.getByRole('button', { name: button }));
}
