// What happened to money, in the words of the mail's row.
import type { MoneyFacts } from '../../domain/identity/mail/mail.repository.ts';
import type { MoneyPurpose } from '../../domain/identity/mail/mail-purpose.ts';
import { LINKS, type Content } from './account-notice-text.ts';
import { isolate, reasonFor, renderMail, type MailText } from './mail-template.ts';

/** `{name}` is a fact, `{support}` where to write to; a line whose fact is missing is left out. */
const CONTENTS: Record<MoneyPurpose, Content> = {
  sale_made: {
    subject: 'You sold {product}',
    lines: [
      'Somebody bought {product} for {amount}. The payment has cleared.',
      'We email you about the first three sales of a day. The others come in one email the next day.',
    ],
    facts: { Product: '{product}', Amount: '{amount}', Purchase: '{purchase}' },
    path: '/console/products/{slug}/purchases/{purchase}',
    button: 'View the purchase',
  },
  sales_of_day: {
    subject: 'Your sales of {day}: {count}',
    lines: [
      'You made {count} sales on {day} (UTC):',
      '{sales}',
      'The first three were emailed one by one, and are counted here too.',
    ],
    ...LINKS.console,
  },
  refund_made: {
    subject: 'A refund for {product} was made',
    lines: ['We sent {amount} back to a buyer of {product}.'],
    facts: { Product: '{product}', Amount: '{amount}', Purchase: '{purchase}' },
    path: '/console/products/{slug}/purchases/{purchase}',
    button: 'View the purchase',
  },
  dispute_opened: {
    subject: 'A payment for {product} is disputed',
    lines: [
      "A buyer's bank disputes a payment of {amount} for {product}. The bank's reason: {reason}.",
      "The platform's operators answer at the payment processor by {due}. Without an answer the bank decides for the buyer.",
      'Send them what shows that the buyer got the product, with the purchase id: {support}',
      'The buyer keeps access until the bank decides. The dispute fee is charged whatever the outcome.',
    ],
    facts: {
      Product: '{product}',
      Amount: '{amount}',
      'Answer by': '{due}',
      Purchase: '{purchase}',
    },
    path: '/console/products/{slug}/disputes',
    button: 'View disputes',
  },
  payout_failed: {
    subject: 'A payout of {amount} failed',
    lines: [
      'The payout of {amount} of {day} did not reach your bank account: {reason}. The money is back in your balance at the payment processor.',
      'What to do: {remedy}',
      'The payment processor pays the amount with the next payout that your bank accepts. The console shows the failure until then.',
    ],
    path: '/console/notifications',
    button: 'View what is failing',
  },
  pool_paid: {
    subject: 'You get {amount} from the creator pool',
    lines: [
      'We transferred {amount} for {month} from the creator pool to your account at the payment processor. It reaches your bank with your next payout.',
    ],
    facts: { Amount: '{amount}', Month: '{month}', Reference: '{payout}' },
    ...LINKS.console,
  },
  pool_failed: {
    subject: 'A payout of {amount} from the creator pool failed',
    lines: [
      'We could not transfer {amount} for {month} from the creator pool to your account at the payment processor.',
      'Nothing is lost: the amount is paid with a later month. Until then, look at the status of your payout account in the console.',
    ],
    facts: { Amount: '{amount}', Month: '{month}', Reason: '{reason}', Reference: '{payout}' },
    ...LINKS.console,
  },
  refund_received: {
    subject: 'Your refund for {product}',
    lines: [
      'We sent {amount} back to you for {product}. Depending on your bank, it arrives within ten days.',
    ],
    facts: { Product: '{product}', Amount: '{amount}', 'Payment reference': '{purchase}' },
    path: '/settings/purchases',
    button: 'View your purchases',
  },
  subscription_cancelled: {
    subject: 'Your subscription to {product} is cancelled',
    lines: [
      'Your subscription to {product} is cancelled.',
      'We charge nothing more for it. You keep access until {end}. Until then you can resume the subscription.',
      "You keep access until {graceEnd}. If we still collect the failed payment, you keep access for the period that it pays for. We won't charge you again after that.",
    ],
    ...LINKS.subscriptions,
  },
  subscription_resumed: {
    subject: 'Your subscription to {product} continues',
    lines: [
      'Your subscription to {product} is resumed. You keep access.',
      'The next charge is on {end}.',
    ],
    ...LINKS.subscriptions,
  },
};

export const MONEY_PURPOSES = Object.keys(CONTENTS) as MoneyPurpose[];

/** Mails to buyers; all others go to sellers. */
const TO_BUYERS: readonly MoneyPurpose[] = [
  'refund_received',
  'subscription_cancelled',
  'subscription_resumed',
];

type Mail = { purpose: MoneyPurpose; name: string; facts: MoneyFacts };

type Platform = { baseUrl: string; support: string; isSimulated: boolean };

export function composeMoneyMail(
  { purpose, name, facts: stored }: Mail,
  { baseUrl, support, isSimulated }: Platform,
): MailText {
  const { product } = stored;
  const facts = { ...stored, support, ...(product && { product: isolate(product) }) };
  const { subject, lines, facts: rows = {}, path, button } = CONTENTS[purpose];
  return renderMail({
    subject: fill(subject, facts) ?? subject,
    greeting: `Hello ${isolate(name)},`,
    lines: lines.flatMap((line) => fill(line, facts) ?? []),
    facts: Object.fromEntries(
      Object.entries(rows).flatMap(([label, row]) => {
        const value = fill(row, facts);
        return value === null ? [] : [[label, value]];
      }),
    ),
    link: baseUrl + (fill(path, facts) ?? '/'),
    button,
    reason: reasonFor(TO_BUYERS.includes(purpose) ? 'buyer' : 'seller', isSimulated),
  });
}

function fill(template: string, facts: MoneyFacts): string | null {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.some((name) => facts[name] === undefined)) return null;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name]!);
}
