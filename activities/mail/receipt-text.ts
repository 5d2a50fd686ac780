import { toDay, toMinute } from '../../domain/shared/instant.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import { PRICE_SENTENCE } from '../../domain/billing/receipts/receipt.ts';
import { openAddress } from '../../domain/catalog/product-address.ts';
import type { MailedReceipt } from '../../domain/billing/receipts/receipt.repository.ts';
import type { MailedChargeReceipt } from '../../domain/billing/recurring/charge-receipt.repository.ts';
import { renderMail, type MailText } from './mail-text.ts';

type Link = { link: string; button: string };
type Recipient = { name: string; baseUrl: string };

/** States the facts of the receipt's page, which the link leads to. */
export function composeReceipt(receipt: MailedReceipt, to: Recipient): MailText {
  const { purchaseId, productName } = receipt;
  const openUrl = openAddress(receipt);
  return compose(receipt, {
    ...to,
    beginning: beginningOf(receipt),
    reference: purchaseId,
    path: `/purchases/${purchaseId}/receipt`,
    also: openUrl === null ? null : { link: openUrl, button: `Open ${productName}` },
  });
}

/** Adds what comes next for a subscription. */
function beginningOf(receipt: MailedReceipt): string[] {
  const { productName, billingInterval, periodEnd, grossMinor, currency } = receipt;
  if (billingInterval === null) return [`Your payment has cleared, and ${productName} is yours.`];
  const next = periodEnd === null ? '' : `, next on ${toDay(periodEnd)}`;
  return [
    `Your payment has cleared, and your subscription to ${productName} has started.`,
    `It renews every ${billingInterval} for ${formatMoney(grossMinor, currency)}${next}, until you cancel it in your library.`,
  ];
}

/** Composes the receipt of one period of a subscription or of Member. */
export function composeChargeReceipt(receipt: MailedChargeReceipt, to: Recipient): MailText {
  const { paymentId, productName, periodStart, periodEnd } = receipt;
  return compose(receipt, {
    ...to,
    beginning: [
      `Your payment for ${productName} has cleared.`,
      `Period: ${toDay(periodStart)} to ${toDay(periodEnd)}`,
    ],
    reference: paymentId,
    path: `/receipts/${paymentId}`,
    also: openLink(receipt, to),
  });
}

/** Member opens many products: its receipt leads to the library. */
function openLink(receipt: MailedChargeReceipt, { baseUrl }: Recipient): Link | null {
  if (receipt.subscriptionId === null)
    return { link: `${baseUrl}/library`, button: 'Open your library' };
  const openUrl = openAddress(receipt);
  return openUrl === null ? null : { link: openUrl, button: `Open ${receipt.productName}` };
}

type Facts = Pick<
  MailedReceipt,
  'productName' | 'sellerName' | 'grossMinor' | 'currency' | 'issuedAt'
>;
type Words = Recipient & {
  beginning: string[];
  reference: string;
  path: string;
  also: Link | null;
};

function compose(facts: Facts, words: Words): MailText {
  const { name, baseUrl, beginning, reference, path, also } = words;
  const { productName, sellerName, grossMinor, currency, issuedAt } = facts;
  return renderMail({
    subject: `Your receipt for ${productName}`,
    greeting: `Hello ${name},`,
    lines: [
      ...beginning,
      `Product: ${productName}`,
      `Sold by: ${sellerName}`,
      `Paid: ${formatMoney(grossMinor, currency)}, on ${toMinute(issuedAt)}`,
      `Payment reference: ${reference}`,
      PRICE_SENTENCE,
    ],
    link: `${baseUrl}${path}`,
    button: 'View receipt',
    also,
  });
}
