import { composeInvitation } from '../../../activities/mail/invitation-text.ts';
import type { MailText } from '../../../activities/mail/mail-template.ts';
import { composeMail, PERSONAL_PURPOSES } from '../../../activities/mail/mail-text.ts';
import { composeMoneyMail, MONEY_PURPOSES } from '../../../activities/mail/money-notice-text.ts';
import { composeChargeReceipt, composeReceipt } from '../../../activities/mail/receipt-text.ts';
import { newUuid } from '../../../domain/shared/ids.ts';

const PLATFORM = { baseUrl: 'https://g.example', support: 'help@g.example', isSimulated: true };

/** Every mail there is, with such a name wherever a mail has one. */
export function composeEveryMail(name: string): Record<string, MailText> {
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
    team_invitation: composeInvitation(invitation, PLATFORM.baseUrl),
    purchase_receipt: composeReceipt({ ...paid, purchaseId: 'pay_1' }, to),
    charge_receipt: composeChargeReceipt(
      { ...paid, paymentId: 'ch_1', subscriptionId: 'sub_1' },
      to,
    ),
  };
}
