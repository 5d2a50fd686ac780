import { makeMailToken } from '../../../domain/identity/mail/mail-link.ts';
import type { MailPurpose } from '../../../domain/identity/mail/mail-purpose.ts';
import { createTokenSigner } from '../../../domain/shared/secrets.ts';
import { startApi } from '../http/api.ts';

type ApiOptions = Parameters<typeof startApi>[0];

export const PASSWORD = 'a quiet lamp in the hall';

const PATHS: Partial<Record<MailPurpose, string>> = {
  reset_password: '/reset-password',
  email_change_asked: '/stop-email-change',
};

/** No test of accounts reaches them. */
const LIMITS = {
  sign_in: 10_000,
  sign_up: 10_000,
  mail_request: 10_000,
  settings: 10_000,
  app_access: 10_000,
  pages: 10_000,
};

let lastNumber = 0;

/** The application, and what tests of accounts do with it: sign up, follow the links of mails. */
export async function startPeople(options: ApiOptions = {}) {
  const api = await startApi({ ...options, limits: { ...LIMITS, ...options.limits } });
  const signer = createTokenSigner(api.config.secretKeys);

  /** Mails to an address, the newest first. */
  async function mailsTo(address: string) {
    return api.test.query<{ id: string; purpose: MailPurpose }>(
      `select id, purpose from mail_token where address = $1 order by created_at desc, id desc`,
      [address],
    );
  }

  return {
    api,
    signer,
    mailsTo,
    newEmail: () => `someone_${(lastNumber += 1)}@example.com`,
    /** The path of the link in the newest mail with that purpose. */
    async linkTo(address: string, purpose: MailPurpose): Promise<string> {
      const mail = (await mailsTo(address)).find((found) => found.purpose === purpose);
      if (!mail) throw new Error(`no ${purpose} to ${address}`);
      return `${PATHS[purpose] ?? '/verify-email'}?token=${makeMailToken(signer, mail.id)}`;
    },
    /** Somebody who has signed up and has the mail; what is not given is made up. */
    async signUp(given: Record<string, string> = {}, browser = api.browser()) {
      lastNumber += 1;
      const fields = {
        email: `newcomer_${lastNumber}@example.com`,
        handle: `newcomer_${lastNumber}`,
        display_name: `Newcomer ${lastNumber}`,
        password: PASSWORD,
        ...given,
      };
      const response = await browser.submit('/sign-up', { action: '/sign-up', fields });
      return { ...fields, browser, response };
    },
    /** Somebody with a session, as the seed makes people. */
    async signedIn(person?: Awaited<ReturnType<typeof api.seed.person>>) {
      const browser = api.browser();
      const who = person ?? (await api.seed.person());
      await browser.signIn(who);
      return { browser, person: who };
    },
    async follow(browser: ReturnType<typeof api.browser>, link: string, fields = {}) {
      const [action = '', query = ''] = link.split('?');
      const token = new URLSearchParams(query).get('token') ?? '';
      // The token of a form for anyone; a person's own forms stand before it.
      const page = await (await browser.get('/forgot-password')).text();
      const csrf = [...page.matchAll(/name="csrf" value="([^"]*)"/g)].at(-1)?.[1] ?? '';
      return browser.submit(link, { action, fields: { csrf, token, ...fields } });
    },
    async count(table: string): Promise<number> {
      const [row] = await api.test.query<{ n: number }>(`select count(*)::int as n from ${table}`);
      return row!.n;
    },
  };
}

export type People = Awaited<ReturnType<typeof startPeople>>;
