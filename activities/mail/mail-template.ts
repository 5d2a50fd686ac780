// The one template of all mails.
import { writeHtml, type Link, type MailWords } from './mail-html.ts';

export type MailText = { subject: string; text: string; html: string };

/** Composes the mail as text and as HTML: the same words and links, no trackers. */
export function renderMail(words: MailWords): MailText {
  return { subject: words.subject, text: asText(words), html: writeHtml(words).toString() };
}

const REASONS = {
  buyer: 'You get this email because you bought something on Gatehouse.',
  seller: 'You get this email because you sell on Gatehouse.',
};

/** Returns why somebody gets a mail about money, and that no money moves where it is so. */
export function reasonFor(recipient: keyof typeof REASONS, isSimulated: boolean): string {
  const simulated = isSimulated ? ' Payments are simulated here. No card was charged.' : '';
  return REASONS[recipient] + simulated;
}

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Keeps a name that is written from right to left from turning the sentence around it. */
export function isolate(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

function asText(words: MailWords): string {
  const { greeting, lines, item, facts = {}, note, reason } = words;
  const rows = [
    ...(item ? [`Product: ${item.name}`, item.line] : []),
    ...Object.entries(facts).map(([label, value]) => `${label}: ${value}`),
  ];
  const links = linksOf(words).map(({ button, link }) => `${button}:\n${link}`);
  const parts = [greeting, ...lines, rows.join('\n'), ...links, note ?? '', reason, 'Gatehouse'];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const linksOf = ({ link, button, also }: MailWords): Link[] => [
  { link, button },
  ...(also ? [also] : []),
];
