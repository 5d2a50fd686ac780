import { createAuthenticator } from './authenticator.ts';
import type { Browser } from '../pages/browser.ts';
import type { People } from './people.ts';

const SECURITY = '/settings/security';
const SIGN_UP = '/sign-up/passkey';

type Options = { challenge: string; user: { id: string } };
export type Authenticator = ReturnType<typeof createAuthenticator>;

/** What tests do with passkeys: sign up with one, add one, sign in with one. */
export function createPasskeys({ api }: Pick<People, 'api'>) {
  const origin = api.url;
  let counter = 10;

  return {
    async signUp(fields: Record<string, string>, browser = api.browser()) {
      const asked = await browser.submit(SIGN_UP, { action: `${SIGN_UP}/options`, fields });
      const { challenge, user } = (await asked.json()) as Options;
      const authenticator = createAuthenticator(Buffer.from(user.id, 'base64url').toString());
      const response = authenticator.register({ challenge, origin });
      const answer = await browser.submit(SIGN_UP, {
        action: SIGN_UP,
        fields: { ...fields, response },
      });
      return { browser, authenticator, answer };
    },
    /** Everything but the last step, which is to be taken when the test wants it. */
    async prepare(browser: Browser, personId: string, password = '') {
      const fields = { name: 'Key', password };
      const path = `${SECURITY}/passkeys`;
      const asked = await browser.submit(SECURITY, { action: `${path}/options`, fields });
      const { challenge } = (await asked.json()) as Options;
      const authenticator = createAuthenticator(personId);
      const response = authenticator.register({ challenge, origin });
      const page = await (await browser.get(SECURITY)).text();
      const csrf = /name="csrf" value="([^"]*)"/.exec(page)![1]!;
      const headers = {
        origin,
        cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
        'content-type': 'application/x-www-form-urlencoded',
      };
      const body = new URLSearchParams({ csrf, name: 'Key', response }).toString();
      const add = () => api.request(path, { method: 'POST', body, headers });
      return { authenticator, add };
    },
    async signIn(authenticator: Authenticator, browser = api.browser()) {
      const path = '/sign-in/passkey';
      const asked = await browser.submit('/sign-in', { action: `${path}/options` });
      const { challenge } = (await asked.json()) as Options;
      const response = authenticator.signIn({ challenge, origin, counter: (counter += 1) });
      const answer = await browser.submit('/sign-in', { action: path, fields: { response } });
      return { browser, answer };
    },
  };
}
