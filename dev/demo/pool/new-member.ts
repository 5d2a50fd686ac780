// Somebody becomes a Member and uses an Included product, as people and products do it.
import { createBrowser, expectLocation } from '../browser.ts';
import type { DemoData } from '../load.ts';
import { check } from '../purchase.ts';
import { waitUntil } from '../../process/run.ts';

const TIMEOUT_MS = 30_000;
const GRANT = { grant_type: 'authorization_code' };

export type Product = DemoData['products'][number];
export type NewMember = { id: string; email: string; browser: ReturnType<typeof createBrowser> };

type Credentials = { email: string; password: string };

export async function signIn(demo: DemoData, { email, password }: Credentials) {
  const browser = createBrowser();
  const page = await browser.visit(`${demo.base_url}/sign-in`);
  const { status } = await browser.submit(page, { email, password });
  if (status !== 303) throw new Error(`The sign-in of ${email} was answered ${status}.`);
  return browser;
}

/** Pays for Member at the hosted checkout. */
export async function becomeMember(
  demo: DemoData,
  person: Credentials & { id: string },
): Promise<NewMember> {
  const browser = await signIn(demo, person);
  const subscribed = await browser.visit(`${demo.base_url}/member/subscribe?interval=month`);
  const checkout = await browser.visit(expectLocation(subscribed, '/pay/'));
  expectLocation(await browser.submit(checkout), '/member');
  return { id: person.id, email: person.email, browser };
}

/** Asks until the charge has cleared. */
export async function untilMember(
  demo: DemoData,
  { product, personId }: { product: Product; personId: string },
): Promise<string> {
  let access: Record<string, unknown> = {};
  const isOpen = async () => {
    access = await check({ demo, product }, { id: personId }).catch(() => ({}));
    return access['active'] === true;
  };
  await waitUntil(isOpen, { what: 'Access through Member', timeoutMs: TIMEOUT_MS });
  return `active: ${access['active']}, type: ${access['type']}`;
}

/** The sign-in to the product: consent, code and token. */
export async function takeToken(
  demo: DemoData,
  { product, browser }: { product: Product; browser: NewMember['browser'] },
): Promise<string> {
  const client = product.clients.find(({ kind }) => kind === 'confidential')!;
  const redirectUri = client.redirect_uris[0]!;
  const asked = { client_id: client.client_id, redirect_uri: redirectUri, state: 'demo' };
  const page = await browser.visit(
    `${demo.base_url}/oauth/authorize?${new URLSearchParams(asked).toString()}`,
  );
  const allowed = await browser.submit(page, { decision: 'allow' }, '/oauth/authorize');
  const code = new URL(expectLocation(allowed, 'code=')).searchParams.get('code')!;
  const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const response = await fetch(`${demo.base_url}/api/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ ...GRANT, code, redirect_uri: redirectUri }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error(`The token was refused with ${response.status}.`);
  return token;
}

export async function reportUse(demo: DemoData, token: string): Promise<string> {
  const response = await fetch(`${demo.base_url}/api/v1/usage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'activity' }),
  });
  return response.text();
}
