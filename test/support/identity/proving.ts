// Sessions that were proved a while ago, and the page that asks for another proof.
import { createAuthenticator } from './authenticator.ts';
import type { TestApi } from '../http/api.ts';
import type { Browser } from '../pages/browser.ts';

type Person = { id: string };

/** After a while that ends sessions, or makes their proof too old. */
export async function signInAgain(
  browser: Browser,
  person: Parameters<Browser['signIn']>[0],
): Promise<void> {
  browser.cookies.clear();
  await browser.signIn(person);
}

/** As if the person's sessions had begun an hour ago; they are not idle. */
export async function makeStale({ test }: TestApi, { id }: Person): Promise<void> {
  await test.query(
    `update session set created_at = created_at - interval '1 hour',
       authenticated_at = authenticated_at - interval '1 hour' where person_id = $1`,
    [id],
  );
}

/** The form of the page, as a browser would send it, with what is typed into it. */
export function answerForm(
  browser: Browser,
  { page, action, typed }: { page: string; action: string; typed: Record<string, string> },
) {
  const [form] = page.split(`action="${action}"`).slice(1);
  const hidden = [...form!.split('</form>')[0]!.matchAll(/<input[^>]*type="hidden"[^>]*>/g)];
  const fields: Record<string, string[]> = {};
  for (const [input] of hidden) {
    const [, name = ''] = /name="([^"]*)"/.exec(input) ?? [];
    const [, value = ''] = /value="([^"]*)"/.exec(input) ?? [];
    (fields[unescape(name)] ??= []).push(unescape(value));
  }
  for (const [name, value] of Object.entries(typed)) fields[name] = [value];
  return browser.submit('/', { action, fields });
}

function unescape(value: string): string {
  const numbered = value.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return numbered
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** A passkey of theirs, made in the settings with the password. */
export async function addPasskey(
  api: TestApi,
  { browser, person }: { browser: Browser; person: Person & { password: string } },
) {
  const SECURITY = '/settings/security';
  const authenticator = createAuthenticator(person.id);
  const asked = await browser.submit(SECURITY, {
    action: `${SECURITY}/passkeys/options`,
    fields: { name: 'Key', password: person.password },
  });
  const { challenge } = (await asked.json()) as { challenge: string };
  const response = authenticator.register({ challenge, origin: api.url, counter: 1 });
  const fields = { name: 'Key', response };
  await browser.submit(SECURITY, { action: `${SECURITY}/passkeys`, fields });
  return authenticator;
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** What the authenticator says to the challenge of a page for somebody who is signed in. */
export async function confirmBy(
  api: TestApi,
  given: { browser: Browser; authenticator: Authenticator; counter?: number },
): Promise<string> {
  const { browser, authenticator, counter = 2 } = given;
  const asked = await browser.submit('/', { action: '/confirm/passkey/options' });
  const { challenge } = (await asked.json()) as { challenge: string };
  return authenticator.signIn({ challenge, origin: api.url, counter });
}

/** A row as a passkey leaves it, that no authenticator answers for. */
export async function seedPasskey({ test }: TestApi, personId: string): Promise<void> {
  await test.query(
    `insert into passkey (credential_id, id, person_id, public_key, counter, transports, name)
     values (gen_random_uuid()::text, gen_random_uuid(), $1, '', 0, '{internal}', 'My laptop')`,
    [personId],
  );
}
