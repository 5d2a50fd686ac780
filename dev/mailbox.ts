import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import { listen } from '../platform/http-server.ts';
import { MAILBOX_POLICY, mailboxPage } from './mailbox.page.ts';

export interface Mail {
  receivedAt: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
}

export interface MailboxOptions {
  smtpPort: number;
  pagePort: number;
  hosts: string[];
}

export interface Mailbox {
  /** Newest first. */
  mails: readonly Mail[];
  stop(): Promise<void>;
}

const KEPT_MAILS = 200;
const LARGEST_MAIL_BYTES = 5_000_000;
const LOCAL_NAMES = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Takes all mail by SMTP, delivers none of it, and shows it on a page. */
export async function startMailbox({
  smtpPort,
  pagePort,
  hosts,
}: MailboxOptions): Promise<Mailbox> {
  const mails: Mail[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: LARGEST_MAIL_BYTES,
    onData(stream, session, done) {
      callbackify(() => keepMail(stream, session, mails))(done);
    },
  });
  smtp.on('error', () => undefined); // a client that hung up
  smtp.listen(smtpPort, '127.0.0.1');
  await once(smtp.server, 'listening');
  const page = await listen((request, response) => answer(request, response, mails), {
    port: pagePort,
    hosts,
  });
  return {
    mails,
    async stop() {
      await page.close();
      await new Promise<void>((resolve) => {
        smtp.close(resolve);
      });
    },
  };
}

async function keepMail(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  mails: Mail[],
): Promise<void> {
  mails.unshift(await readMail(stream, session));
  mails.length = Math.min(mails.length, KEPT_MAILS);
}

async function readMail(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Mail> {
  const mail = await PostalMime.parse(await buffer(stream));
  return {
    receivedAt: new Date().toISOString(),
    from: mail.from?.address ?? '',
    to: session.envelope.rcptTo.map(({ address }) => address),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
  };
}

function answer(request: IncomingMessage, response: ServerResponse, mails: Mail[]): void {
  response.setHeader('content-security-policy', MAILBOX_POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cache-control', 'no-store');
  // Another name that leads here would let a foreign page read the sign-in links.
  const isLocal = LOCAL_NAMES.test(request.headers.host ?? '');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isLocal && isRead && request.url === '/messages.json') {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(mails));
  } else if (isLocal && isRead && request.url === '/') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(mailboxPage(mails).toString());
  } else {
    response.writeHead(isLocal ? 404 : 403, { 'content-type': 'text/plain' });
    response.end(isLocal ? 'Not found\n' : 'Ask for localhost\n');
  }
}
