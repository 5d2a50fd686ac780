import { randomBytes } from 'node:crypto';
import type { Mail } from '../mail/mailbox.page.ts';
import { waitUntil } from '../process/run.ts';
import { createBrowser, expectLocation } from './browser.ts';
import type { DemoData } from './load.ts';

const TIMEOUT_MS = 30_000;

/** A new account, made as people make theirs: the form, the mail, its link. */
export async function signUp(demo: DemoData) {
  const browser = createBrowser();
  const handle = `buyer_${randomBytes(4).toString('hex')}`;
  const email = `${handle}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const page = await browser.visit(`${demo.base_url}/sign-up`);
  const registrant = { email, handle, display_name: 'A New Buyer', password };
  const { status } = await browser.submit(page, registrant);
  if (status !== 303) throw new Error(`The sign-up was answered ${status}.`);
  const link = await waitForLink(demo.mailbox_url, email);
  // The browser that has signed up is signed in.
  expectLocation(await browser.submit(await browser.visit(link)), '/');
  const { html } = await browser.visit(`${demo.base_url}/settings/profile`);
  const id = /data-person-id>([0-9a-f-]{36})</.exec(html)?.[1];
  if (!id) throw new Error('The new account could not sign in.');
  return { id, email, password };
}

async function waitForLink(mailboxUrl: string, address: string): Promise<string> {
  let link: string | undefined;
  const hasCome = async () => {
    const response = await fetch(`${mailboxUrl}/messages.json`);
    const mails = (await response.json()) as Mail[];
    const mail = mails.find(({ to }) => to.includes(address));
    link = /https?:\/\/\S+/.exec(mail?.text ?? '')?.[0];
    return link !== undefined;
  };
  await waitUntil(hasCome, { what: `A mail to ${address}`, timeoutMs: TIMEOUT_MS });
  return link!;
}
