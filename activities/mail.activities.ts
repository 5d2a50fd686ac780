import { makeMailToken } from '../domain/identity/mail/mail-link.ts';
import { findMail, recordMailSent } from '../domain/identity/mail/mail.store.ts';
import { isLinkPurpose } from '../domain/identity/mail/mail-purpose.ts';
import type { Services } from './index.ts';
import { composeMail } from './mail-text.ts';

export type MailStatus = 'sent' | 'expired' | 'refused' | 'gone';

export function createMailActivities({ database, mailer, signer, baseUrl, logger }: Services) {
  return {
    /** Sends a mail that is due; nothing that it says or where it goes leaves this function. */
    async sendMail({ mailId }: { mailId: string }): Promise<{ status: MailStatus }> {
      const mail = await findMail(database.em(), mailId);
      if (!mail) return { status: 'gone' };
      if (mail.state !== 'due') return { status: mail.state };
      const { purpose, handle, address } = mail;
      const token = isLinkPurpose(purpose) ? makeMailToken(signer, mailId) : null;
      const text = composeMail({ purpose, handle, token, baseUrl });
      const isAccepted = await mailer.send({ id: mailId, to: address, ...text });
      if (!isAccepted) {
        logger.warn({ mailId, purpose }, 'the mail server refuses a mail');
        return { status: 'refused' };
      }
      await recordMailSent(database.em(), mailId);
      return { status: 'sent' };
    },
  };
}
