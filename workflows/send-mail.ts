import { setHandler } from '@temporalio/workflow';
import { statusQuery, type MailInput } from './contracts.ts';
import { display } from './visibility.ts';
import { openMailbox } from './signals.ts';
import { mails } from './activities.ts';

/** Sends one mail: for as long as the mail server is away, it tries again until the mail is too old. */
export async function sendMail(input: MailInput): Promise<string> {
  const mailbox = openMailbox();
  let status = 'sending';
  setHandler(statusQuery, () => status);
  do {
    mailbox.take();
    ({ status } = await mails.sendMail(input));
    display({ status, details: status });
  } while (mailbox.hasMail());
  return status;
}
