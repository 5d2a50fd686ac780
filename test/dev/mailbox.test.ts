import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { createTransport } from 'nodemailer';
import { startMailbox } from '../../dev/mail/mailbox.ts';
import { resolvePorts } from '../../dev/ports.ts';

async function openMailbox(t: ExecutionContext) {
  const { smtpPort, pagePort } = await resolvePorts({ smtpPort: 0, pagePort: 0 });
  const mailbox = await startMailbox({ smtpPort, pagePort, hosts: ['127.0.0.1'] });
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    pool: true,
    maxConnections: 1,
    maxMessages: Infinity,
  });
  t.teardown(() => mailbox.stop());
  t.teardown(() => transport.close());
  const send = (subject: string, body: string) =>
    transport.sendMail({ from: 'shop@example.com', to: 'ada@example.com', subject, text: body });
  const sendBoth = (subject: string, html: string) =>
    transport.sendMail({
      from: 'shop@example.com',
      to: 'ada@example.com',
      subject,
      text: 'words',
      html,
    });
  return { mailbox, send, sendBoth, pagePort, url: `http://127.0.0.1:${pagePort}` };
}

test('mail is kept and listed, the newest first', async (t) => {
  const { send, url } = await openMailbox(t);
  await send('Grüße', 'a line that is long enough to be folded by quoted-printable: '.repeat(3));
  await send('Second', 'later');
  const response = await fetch(`${url}/messages.json`);
  const mails = (await response.json()) as { subject: string; to: string[]; text: string }[];
  t.deepEqual(
    mails.map(({ subject }) => subject),
    ['Second', 'Grüße'],
  );
  t.deepEqual(mails[0]?.to, ['ada@example.com']);
  t.true(
    mails[1]?.text.startsWith('a line that is long enough to be folded by quoted-printable: a'),
  );
});

test('the page shows mail as text, with its links to click, under a strict policy', async (t) => {
  const { send, url } = await openMailbox(t);
  await send('<script>alert(1)</script>', 'Go to http://localhost:3000/verify?token=1&x=2 now');
  const response = await fetch(url);
  const page = await response.text();
  t.regex(
    response.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-/,
  );
  t.false(page.includes('<script'));
  t.true(page.includes('&lt;script&gt;'));
  t.true(page.includes('href="http://localhost:3000/verify?token=1&amp;x=2"'));
});

test('the HTML of a mail is shown beside its text, and can run and load nothing', async (t) => {
  const { mailbox, url, sendBoth } = await openMailbox(t);
  await sendBoth('Welcome', '<html><head></head><body><a href="/x">Open</a></body></html>');
  const [mail] = mailbox.mails;
  const page = await (await fetch(url)).text();
  t.true(page.includes(`<iframe src="/mails/${mail!.id}" title="Welcome"`));
  const shown = await fetch(`${url}/mails/${mail!.id}`);
  t.regex(await shown.text(), /<base target="_blank" \/>[^]*<a href="\/x">Open<\/a>/);
  const policy = shown.headers.get('content-security-policy') ?? '';
  t.regex(policy, /^default-src 'none'; style-src 'unsafe-inline';/);
  t.regex(policy, /frame-ancestors 'self'; sandbox allow-popups/);
  t.is((await fetch(`${url}/mails/99`)).status, 404);
});

test('only the last 200 mails are kept', async (t) => {
  const { mailbox, send } = await openMailbox(t);
  for (let number = 1; number <= 203; number += 1) await send(`Mail ${number}`, '.');
  t.is(mailbox.mails.length, 200);
  t.is(mailbox.mails[0]?.subject, 'Mail 203');
});

test('a foreign host name gets no mail to read, and nothing else is served', async (t) => {
  const { pagePort, url } = await openMailbox(t);
  const asked = request({ port: pagePort, host: '127.0.0.1', headers: { host: 'evil.example' } });
  const status = await new Promise((resolve, reject) => {
    asked.on(
      'response',
      (response) => void text(response).then(() => resolve(response.statusCode)),
    );
    asked.on('error', reject);
    asked.end();
  });
  t.is(status, 403);
  t.is((await fetch(`${url}/etc/passwd`)).status, 404);
  t.is((await fetch(url, { method: 'POST' })).status, 404);
});

test('the demo products have their websites here, and nothing else has', async (t) => {
  const { url } = await openMailbox(t);
  const response = await fetch(`${url}/products/paper-trail?purchase_id=%3Cpay%3E`);
  t.is(response.status, 200);
  const page = await response.text();
  t.regex(page, /<h1>Paper Trail<\/h1>/);
  t.regex(page, /Back from purchase <code>&lt;pay&gt;/);
  t.is((await fetch(`${url}/products/never-was`)).status, 404);
  t.is((await fetch(`${url}/products/paper-trail`, { method: 'POST' })).status, 404);
});
