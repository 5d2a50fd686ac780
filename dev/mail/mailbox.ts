import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { callbackify, promisify } from 'node:util';
import Koa from 'koa';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { listen } from '../../platform/http-server.ts';
import {
  MAIL_POLICY,
  MAILBOX_POLICY,
  mailboxPage,
  toShownMail,
  type Mail,
} from './mailbox.page.ts';
import { findImported } from '../imports/stand-in.ts';
import { findProductPage } from './product.page.ts';

const KEPT_MAILS = 200;
const LARGEST_MAIL_BYTES = 5_000_000;
const LOCAL_NAMES = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Takes all mail by SMTP, delivers none of it, and shows it on a page. */
export async function startMailbox(given: { smtpPort: number; pagePort: number; hosts: string[] }) {
  const { smtpPort, pagePort, hosts } = given;
  const mails: Mail[] = [];
  const smtp = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: LARGEST_MAIL_BYTES,
    onData(stream, { envelope }, done) {
      const to = envelope.rcptTo.map(({ address }) => address);
      callbackify(async () => keepMail(mails, { raw: await buffer(stream), to }))(done);
    },
  });
  smtp.on('error', () => undefined); // a client that hung up
  smtp.listen(smtpPort, '127.0.0.1');
  await once(smtp.server, 'listening');
  const page = await listen(pageOf(mails).callback(), { port: pagePort, hosts });
  return {
    /** Newest first. */
    mails: mails as readonly Mail[],
    async stop() {
      await page.close();
      await promisify(smtp.close.bind(smtp))();
    },
  };
}

async function keepMail(mails: Mail[], { raw, to }: { raw: Buffer; to: string[] }): Promise<void> {
  const { from, subject = '', text = '', html = null } = await PostalMime.parse(raw);
  const id = (mails[0]?.id ?? 0) + 1;
  const receivedAt = new Date().toISOString();
  mails.unshift({ id, receivedAt, from: from?.address ?? '', to, subject, text, html });
  mails.length = Math.min(mails.length, KEPT_MAILS);
}

/** Shows the HTML of a mail; false when the path is none of a mail's. */
function showMail(ctx: Koa.Context, mails: readonly Mail[]): boolean {
  const id = /^\/mails\/(\d{1,9})$/.exec(ctx.path)?.[1];
  const html = mails.find((mail) => String(mail.id) === id)?.html;
  if (!html) return false;
  ctx.set('content-security-policy', MAIL_POLICY);
  ctx.body = toShownMail(html);
  return true;
}

/** The demo's products have their websites here, and imports what they read; every other path is 404. */
async function showOutside(ctx: Koa.Context): Promise<void> {
  const imported = await findImported(ctx.path);
  if (imported) {
    ctx.body = imported.body;
    ctx.type = imported.type;
    return;
  }
  const purchaseId = new URLSearchParams(ctx.querystring).get('purchase_id');
  const page = findProductPage(ctx.path, purchaseId);
  if (page) ctx.body = page.toString();
}

function pageOf(mails: Mail[]): Koa {
  return new Koa().use(async (ctx) => {
    ctx.set({
      'content-security-policy': MAILBOX_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    // Another name that leads here would let a foreign page read the sign-in links.
    if (!LOCAL_NAMES.test(ctx.host)) {
      ctx.status = 403;
      ctx.body = 'Ask for localhost\n';
    } else if (isRead && ctx.path === '/messages.json') ctx.body = mails;
    else if (isRead && ctx.path === '/') ctx.body = mailboxPage(mails).toString();
    else if (isRead && !showMail(ctx, mails)) await showOutside(ctx);
  });
}
