import { createTransport } from 'nodemailer';
import { isLoopbackHost } from '../domain/shared/loopback.ts';

type Mail = { id: string; to: string; subject: string; text: string; html: string };

export type Mailer = ReturnType<typeof createMailer>;

const TIMEOUT_MS = 10_000;

/**
 * The platform's mail over SMTP. Faults carry codes alone, because a server's text may quote an
 * address.
 */
export function createMailer({ url, from }: { url: string; from: string }) {
  const transport = createTransport({
    url,
    pool: true,
    requireTLS: isTlsRequired(url),
    maxConnections: 2,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    /** False when the server refuses the mail for good; throws when it may accept the mail later. */
    async send({ id, to, ...mail }: Mail): Promise<boolean> {
      const message = {
        ...mail,
        from,
        // An object is one address, whatever its characters.
        to: { name: '', address: to },
        messageId: `<${id}@${domain}>`,
        headers: { 'auto-submitted': 'auto-generated' },
      };
      const error = await transport.sendMail(message).then(() => null, toCodes);
      if (!error) return true;
      if (REFUSALS.includes(error.code) && error.status >= 500) return false;
      throw new Error(`the mail server did not take a mail (${error.code} ${error.status})`);
    },
    close: () => transport.close(),
  };
}

/**
 * STARTTLS is required, because an attacker may have stripped the server's offer, and mails carry
 * links.
 */
function isTlsRequired(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url);
  if (protocol !== 'smtp:' || searchParams.get('ignoreTLS') === 'true') return false;
  return !isLoopbackHost(hostname);
}

const REFUSALS = ['EENVELOPE', 'EMESSAGE'];

function toCodes({ code = 'unknown', responseCode = 0 }: { code?: string; responseCode?: number }) {
  return { code, status: responseCode };
}
