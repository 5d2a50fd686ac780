import { toMinute, writeDay } from '../../domain/shared/instant.ts';
import { formatMoney } from '../../domain/shared/money.ts';
import { PRICE_SENTENCE } from '../../domain/billing/receipts/receipt.ts';
import { openAddress } from '../../domain/catalog/product-address.ts';
import type { MailedReceipt } from '../../domain/billing/receipts/receipt.repository.ts';
import type { MailedChargeReceipt } from '../../domain/billing/recurring/charge-receipt.repository.ts';
import type { Link } from './mail-html.ts';
import { isolate, reasonFor, renderMail, type MailText } from './mail-template.ts';

type Recipient = { name: string; baseUrl: string; isSimulated: boolean };

/** States the facts of the receipt's page, which a link leads to. */
export function composeReceipt(receipt: MailedReceipt, to: Recipient): MailText {
  const { purchaseId, productName, billingInterval } = receipt;
  const product = isolate(productName);
  const isOnce = billingInterval === null;
  return compose(receipt, {
    ...to,
    heading: isOnce ? `${product} is yours` : `Your subscription to ${product} has started`,
    beginning: beginningOf(receipt),
    line: isOnce ? 'Bought once' : `Subscription, charged every ${billingInterval}`,
    reference: purchaseId,
    path: `/purchases/${purchaseId}/receipt`,
    open: openLink(receipt),
  });
}

/** Adds what comes next for a subscription. */
function beginningOf(receipt: MailedReceipt): string[] {
  const { productName, billingInterval, periodEnd, grossMinor, currency } = receipt;
  const product = isolate(productName);
  if (billingInterval === null) return [`Your payment has cleared, and ${product} is yours.`];
  const next = periodEnd === null ? '' : `, next on ${writeDay(periodEnd)}`;
  return [
    `Your payment has cleared, and your subscription to ${product} has started.`,
    `It renews every ${billingInterval} for ${formatMoney(grossMinor, currency)}${next}, until you cancel it in your library.`,
  ];
}

/** Composes the receipt of one period of a subscription or of Member. */
export function composeChargeReceipt(receipt: MailedChargeReceipt, to: Recipient): MailText {
  const { paymentId, productName, subscriptionId, periodStart, periodEnd } = receipt;
  const paid = `Your payment for ${isolate(productName)} has cleared`;
  // Member opens many products: its receipt leads to the library.
  const library = { link: `${to.baseUrl}/library`, button: 'Open your library' };
  return compose(receipt, {
    ...to,
    heading: paid,
    beginning: [`${paid}.`],
    line: `Period: ${writeDay(periodStart)} to ${writeDay(periodEnd)}`,
    reference: paymentId,
    path: `/receipts/${paymentId}`,
    open: subscriptionId === null ? library : openLink(receipt),
  });
}

type Product = Parameters<typeof openAddress>[0] & { productName: string };

function openLink(product: Product): Link | null {
  const link = openAddress(product);
  return link === null ? null : { link, button: `Open ${product.productName}` };
}

type Facts = Pick<
  MailedReceipt,
  'productName' | 'sellerName' | 'grossMinor' | 'currency' | 'issuedAt'
>;
type Words = Recipient & {
  heading: string;
  beginning: string[];
  line: string;
  reference: string;
  path: string;
  open: Link | null;
};

/** The product is what the buyer came for: its link comes before the receipt's. */
function compose(receipt: Facts, words: Words): MailText {
  const { name, baseUrl, heading, beginning, line, reference, path, open, isSimulated } = words;
  const { productName, sellerName, grossMinor, currency, issuedAt } = receipt;
  const amount = formatMoney(grossMinor, currency);
  const view = { link: `${baseUrl}${path}`, button: 'View receipt' };
  return renderMail({
    subject: `Your receipt for ${isolate(productName)}`,
    heading,
    greeting: `Hello ${isolate(name)},`,
    lines: beginning,
    item: { name: productName, line, amount },
    facts: {
      'Sold by': sellerName,
      Paid: `${amount}, on ${toMinute(issuedAt)}`,
      'Payment reference': reference,
    },
    ...(open ?? view),
    also: open && view,
    note: PRICE_SENTENCE,
    reason: reasonFor('buyer', isSimulated),
  });
}
