import { makeMailToken } from '../../domain/identity/mail/mail-link.ts';
import {
  findMail,
  closeMail,
  type MailToSend,
} from '../../domain/identity/mail/mail.repository.ts';
import { isLinkPurpose } from '../../domain/identity/mail/mail-purpose.ts';
import { findReceipt } from '../../domain/billing/receipts/receipt.repository.ts';
import { findChargeReceipt } from '../../domain/billing/recurring/charge-receipt.repository.ts';
import { findInvitation } from '../../domain/teams/accept-invitation.repository.ts';
import type { Services } from '../services.ts';
import { composeInvitation } from './invitation-text.ts';
import type { MailText } from './mail-template.ts';
import { composeMail } from './mail-text.ts';
import { composeMoneyMail } from './money-notice-text.ts';
import { composeChargeReceipt, composeReceipt } from './receipt-text.ts';

export type MailStatus = 'sent' | 'expired' | 'refused' | 'gone';

export function createMailActivities(services: Services) {
  const { database, mailer, logger } = services;

  async function send(mailId: string): Promise<MailStatus> {
    const mail = await findMail(database.em(), mailId);
    if (!mail) return 'gone';
    if (mail.state !== 'due') return mail.state;
    const { purpose, address } = mail;
    const text = await compose(services, { mail, mailId });
    if (!text) return 'expired';
    if (await mailer.send({ id: mailId, to: address, ...text })) return 'sent';
    logger.warn({ mailId, purpose }, 'the mail server refused an email');
    return 'refused';
  }

  return {
    /** Sends a due mail; its text and its address do not leave this function. */
    async sendMail({ mailId }: { mailId: string }): Promise<{ status: MailStatus }> {
      const status = await send(mailId);
      await closeMail(database.em(), { id: mailId, isSent: status === 'sent' });
      return { status };
    },
  };
}

/** Returns null when there is nothing to say any more, such as for an answered invitation. */
async function compose(
  { database, signer, baseUrl, support, processor }: Services,
  { mail, mailId }: { mail: MailToSend; mailId: string },
): Promise<MailText | null> {
  if (mail.purpose === 'team_invitation') {
    const invitation = await findInvitation(database.em(), mail.invitationId);
    return invitation?.state === 'open' ? composeInvitation(invitation, baseUrl) : null;
  }
  const platform = { baseUrl, support, isSimulated: processor.kind === 'simulator' };
  if (mail.purpose === 'purchase_receipt') {
    const receipt = await findReceipt(database.em(), mail.purchaseId);
    return receipt && composeReceipt(receipt, { name: mail.name, ...platform });
  }
  if (mail.purpose === 'charge_receipt') {
    const receipt = await findChargeReceipt(database.em(), mail.paymentId);
    return receipt && composeChargeReceipt(receipt, { name: mail.name, ...platform });
  }
  if ('facts' in mail) return composeMoneyMail(mail, platform);
  const { purpose, name, device, createdAt } = mail;
  const token = isLinkPurpose(purpose) ? makeMailToken(signer, mailId) : null;
  return composeMail({ purpose, name, token, baseUrl, support, device, createdAt });
}
