import { formatMoney } from '../domain/platform/money.ts';
import { TAX_SENTENCE } from '../domain/selling/purchases/receipt.ts';
import type { Receipt } from '../domain/selling/purchases/receipt.store.ts';
import { renderMail, type MailText } from './mail-text.ts';

/** What the buyer keeps: the same facts as on the receipt's page, which the link leads to. */
export function composeReceipt(
  receipt: Receipt,
  { handle, baseUrl }: { handle: string; baseUrl: string },
): MailText {
  const { purchaseId, productName, sellerName, grossMinor, currency, issuedAt } = receipt;
  const amount = formatMoney(grossMinor, currency);
  const at = `${issuedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return renderMail({
    subject: `Your receipt for ${productName}`,
    greeting: `Hello ${handle},`,
    lines: [
      `Your payment has cleared, and ${productName} is yours.`,
      `Product: ${productName}`,
      `Sold by: ${sellerName}`,
      `Paid: ${amount}, on ${at}`,
      `Payment reference: ${purchaseId}`,
      TAX_SENTENCE,
    ],
    link: `${baseUrl}/purchases/${purchaseId}/receipt`,
    button: 'See the receipt',
  });
}
