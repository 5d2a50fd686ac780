import test from 'ava';
import type { MailText } from '../../activities/mail/mail-template.ts';
import { composeEveryMail } from '../support/identity/every-mail.ts';

const ODD = `<img src=x onerror="alert(1)"> & '${'long'.repeat(50)}'`;
const HEBREW = 'שלום עולם';
const EMOJI = '👩🏽‍🚀 Rocket & 🧾';

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

for (const [purpose, mail] of Object.entries(composeEveryMail(ODD))) {
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
      const { subject, text, html } = composeEveryMail(name)[purpose]!;
      for (const part of [subject, text, unescaped(html)]) t.true(part.includes(name), purpose);
    }
  });
}

test('every mail fits a phone, knows the dark and names its subject as the heading', (t) => {
  for (const { subject, html } of Object.values(composeEveryMail('Ada'))) {
    t.regex(html, /<meta name="color-scheme" content="light dark" \/>/);
    t.regex(html, /prefers-color-scheme: dark/);
    t.regex(html, /max-width: 560px/);
    t.is(html.match(/<h1/g)?.length, 1);
    t.true(unescaped(html).includes(`<title>${subject}</title>`));
    t.true(Buffer.byteLength(html) < 20_000, 'mail programs cut off what is longer than 100 KB');
  }
});

test('a mail about money says where no money moves, and others do not', (t) => {
  const mails = composeEveryMail('Ada');
  t.regex(mails['purchase_receipt']!.text, /Payments are simulated here/);
  t.regex(mails['sale_made']!.html, /Payments are simulated here/);
  t.notRegex(mails['new_sign_in']!.text, /simulated/);
});
