import { formatMoney } from '../../domain/shared/money.ts';
import { TAX_SENTENCE } from '../../domain/billing/receipts/receipt.ts';
import { openAddress } from '../../domain/catalog/product-address.ts';
import type { MailedReceipt, Receipt } from '../../domain/billing/receipts/receipt.repository.ts';
import type { ChargeReceipt } from '../../domain/billing/subscriptions/charge-receipt.repository.ts';
import { renderMail, type MailText } from './mail-text.ts';

type Addressed = { handle: string; baseUrl: string };

/** The same facts as on the receipt's page, which the link leads to. */
export function composeReceipt(receipt: MailedReceipt, to: Addressed): MailText {
  const { purchaseId, productName } = receipt;
  const openUrl = openAddress(receipt);
  return compose(receipt, {
    ...to,
    beginning: [`Your payment has cleared, and ${productName} is yours.`],
    reference: purchaseId,
    path: `/purchases/${purchaseId}/receipt`,
    also: openUrl === null ? null : { link: openUrl, button: `Open ${productName}` },
  });
}

/** The same for a period of a subscription or of Member. */
export function composeChargeReceipt(receipt: ChargeReceipt, to: Addressed): MailText {
  const { paymentId, productName, periodStart, periodEnd } = receipt;
  return compose(receipt, {
    ...to,
    beginning: [
      `Your payment for ${productName} has cleared.`,
      `Period: ${day(periodStart)} to ${day(periodEnd)}`,
    ],
    reference: paymentId,
    path: `/receipts/${paymentId}`,
  });
}

type Facts = Pick<Receipt, 'productName' | 'sellerName' | 'grossMinor' | 'currency' | 'issuedAt'>;
type Words = Addressed & {
  beginning: string[];
  reference: string;
  path: string;
  also?: { link: string; button: string } | null;
};

function compose(facts: Facts, words: Words): MailText {
  const { handle, baseUrl, beginning, reference, path, also = null } = words;
  const { productName, sellerName, grossMinor, currency, issuedAt } = facts;
  const at = `${issuedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return renderMail({
    subject: `Your receipt for ${productName}`,
    greeting: `Hello ${handle},`,
    lines: [
      ...beginning,
      `Product: ${productName}`,
      `Sold by: ${sellerName}`,
      `Paid: ${formatMoney(grossMinor, currency)}, on ${at}`,
      `Payment reference: ${reference}`,
      TAX_SENTENCE,
    ],
    link: `${baseUrl}${path}`,
    button: 'View receipt',
    also,
  });
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10);
}
