import test from 'ava';
import { composeInvitation } from '../../activities/mail/invitation-text.ts';
import type { MailText } from '../../activities/mail/mail-template.ts';
import { composeMail, PERSONAL_PURPOSES } from '../../activities/mail/mail-text.ts';
import { composeMoneyMail, MONEY_PURPOSES } from '../../activities/mail/money-notice-text.ts';
import { composeChargeReceipt, composeReceipt } from '../../activities/mail/receipt-text.ts';
import { newUuid } from '../../domain/shared/ids.ts';

const PLATFORM = { baseUrl: 'https://g.example', support: 'help@g.example', isSimulated: true };
const ODD = `<img src=x onerror="alert(1)"> & '${'long'.repeat(50)}'`;
const HEBREW = 'שלום עולם';
const EMOJI = '👩🏽‍🚀 Rocket & 🧾';

/** Every mail there is, with such a name wherever a mail has one. */
function composeAll(name: string): Record<string, MailText> {
  const at = new Date('2026-11-27T10:52:00Z');
  const paid = {
    productName: name,
    sellerName: name,
    grossMinor: 999_999_999_999,
    currency: 'KWD',
    issuedAt: at,
    websiteUrl: 'https://app.example/a?b=1&c="2"',
    signInUrl: null,
    periodStart: at,
    periodEnd: at,
    billingInterval: 'month' as const,
    status: 'succeeded' as const,
    isTakenBack: false,
  };
  const named = ['product', 'amount', 'purchase', 'day', 'count', 'sales', 'reason', 'due'];
  const more = ['remedy', 'month', 'payout', 'end', 'graceEnd'];
  const facts = Object.fromEntries([...named, ...more].map((fact) => [fact, name]));
  const mails = [
    ...PERSONAL_PURPOSES.map((purpose) => {
      const given = { purpose, name, token: 'a.b', device: name, createdAt: name };
      return [purpose, composeMail({ ...given, ...PLATFORM })] as const;
    }),
    ...MONEY_PURPOSES.map((purpose) => {
      const mail = { purpose, name, facts: { ...facts, slug: 'paper-trail', purchase: 'pay_1' } };
      return [purpose, composeMoneyMail(mail, PLATFORM)] as const;
    }),
  ];
  const to = { name, ...PLATFORM };
  const invitation = { id: newUuid(), teamName: name, inviterName: name, role: 'admin' as const };
  return {
    ...Object.fromEntries(mails),
    team_invitation: composeInvitation({ ...invitation, state: 'open' }, PLATFORM.baseUrl),
    purchase_receipt: composeReceipt({ ...paid, purchaseId: 'pay_1' }, to),
    charge_receipt: composeChargeReceipt(
      { ...paid, paymentId: 'ch_1', subscriptionId: 'sub_1' },
      to,
    ),
  };
}

const CHARACTERS: Record<string, string> = {
  quot: '"',
  '#34': '"',
  '#39': "'",
  lt: '<',
  gt: '>',
  amp: '&',
};
const unescaped = (text: string) =>
  text.replaceAll(/&(#?\w+);/g, (entity, name: string) => CHARACTERS[name] ?? entity);

/** What a mail is made of: nothing that a mail program would load or run. */
const ELEMENTS = 'html head meta title style body div table tr th td h1 p br a'.split(' ');

const textLinks = ({ text }: MailText) =>
  [...text.matchAll(/:\n(https?:\S+)/g)].map(([, to]) => to);
const htmlLinks = ({ html }: MailText) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, to]) => unescaped(to!));

for (const [purpose, mail] of Object.entries(composeAll(ODD))) {
  test(`${purpose}: both parts have the same links, and no value is markup`, (t) => {
    t.true(mail.text.length > 100 && mail.html.length > 100);
    t.true(textLinks(mail).length > 0);
    t.deepEqual(htmlLinks(mail), textLinks(mail));
    for (const link of htmlLinks(mail)) t.regex(link, /^https:\/\/(g|app)\.example\//);
    const tags = [...mail.html.matchAll(/<([a-z]\w*)([^>]*)>/g)];
    t.deepEqual(
      tags.filter(([, name, rest]) => !ELEMENTS.includes(name!) || /\son|\ssrc|url\(/.test(rest!)),
      [],
    );
    t.notRegex(mail.html, /@import|@font-face|url\(/);
    t.is(mail.html.match(/https?:/g)?.length, htmlLinks(mail).length);
  });
}

for (const [kind, name] of Object.entries({ 'right-to-left': HEBREW, emoji: EMOJI })) {
  test(`a name is whole in both parts: ${kind}`, (t) => {
    for (const purpose of ['purchase_receipt', 'sale_made', 'refund_received']) {
      const { subject, text, html } = composeAll(name)[purpose]!;
      for (const part of [subject, text, unescaped(html)]) t.true(part.includes(name), purpose);
    }
  });
}

test('every mail fits a phone, knows the dark and names its subject as the heading', (t) => {
  for (const { subject, html } of Object.values(composeAll('Ada'))) {
    t.regex(html, /<meta name="color-scheme" content="light dark" \/>/);
    t.regex(html, /prefers-color-scheme: dark/);
    t.regex(html, /max-width: 560px/);
    t.is(html.match(/<h1/g)?.length, 1);
    t.true(unescaped(html).includes(`<title>${subject}</title>`));
    t.true(Buffer.byteLength(html) < 20_000, 'mail programs cut off what is longer than 100 KB');
  }
});

test('a mail about money says where no money moves, and others do not', (t) => {
  const mails = composeAll('Ada');
  t.regex(mails['purchase_receipt']!.text, /Payments are simulated here/);
  t.regex(mails['sale_made']!.html, /Payments are simulated here/);
  t.notRegex(mails['new_sign_in']!.text, /simulated/);
});
