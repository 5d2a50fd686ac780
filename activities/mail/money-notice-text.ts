// What happened to money, in the words of the mail's row.
import type { MoneyFacts } from '../../domain/identity/mail/mail.repository.ts';
import type { MoneyPurpose } from '../../domain/identity/mail/mail-purpose.ts';
import { LINKS, type Content } from './account-notice-text.ts';
import { renderMail, type MailText } from './mail-text.ts';

/** `{name}` is a fact, `{support}` where to write to; a line whose fact is missing is left out. */
const CONTENTS: Record<MoneyPurpose, Content> = {
  sale_made: {
    subject: 'You sold {product}',
    lines: [
      'Somebody bought {product} for {amount}. The payment has cleared.',
      'Purchase: {purchase}',
      'We email you about the first three sales of a day. The others come in one email the next day.',
    ],
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
    lines: ['We sent {amount} back to a buyer of {product}.', 'Purchase: {purchase}'],
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
      'Purchase: {purchase}',
    ],
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
      'Reference: {payout}',
    ],
    ...LINKS.console,
  },
  pool_failed: {
    subject: 'A payout of {amount} from the creator pool failed',
    lines: [
      'We could not transfer {amount} for {month} from the creator pool to your account at the payment processor.',
      'Reason: {reason}',
      'Nothing is lost: the amount is paid with a later month. Until then, look at the status of your payout account in the console.',
      'Reference: {payout}',
    ],
    ...LINKS.console,
  },
  refund_received: {
    subject: 'Your refund for {product}',
    lines: [
      'We sent {amount} back to you for {product}. Depending on your bank, it arrives within ten days.',
      'Payment reference: {purchase}',
    ],
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

type Mail = { purpose: MoneyPurpose; name: string; facts: MoneyFacts };

type Platform = { baseUrl: string; support: string };

export function composeMoneyMail(
  { purpose, name, facts: stored }: Mail,
  { baseUrl, support }: Platform,
): MailText {
  const facts = { ...stored, support };
  const { subject, lines, path, button } = CONTENTS[purpose];
  return renderMail({
    subject: fill(subject, facts) ?? subject,
    greeting: `Hello ${name},`,
    lines: lines.flatMap((line) => fill(line, facts) ?? []),
    link: baseUrl + (fill(path, facts) ?? '/'),
    button,
  });
}

function fill(template: string, facts: MoneyFacts): string | null {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.some((name) => facts[name] === undefined)) return null;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => facts[name]!);
}
