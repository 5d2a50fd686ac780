import { setHandler } from '@temporalio/workflow';
import { statusQuery, type MailInput } from './contracts.ts';
import { updateVisibility } from './visibility.ts';
import { receiveSignals } from './signals.ts';
import { mails } from './activities.ts';

/** Sends one mail: for as long as the mail server is away, it tries again until the mail is too old. */
export async function sendMail(input: MailInput): Promise<string> {
  const signals = receiveSignals();
  let status = 'sending';
  setHandler(statusQuery, () => status);
  do {
    signals.drain();
    ({ status } = await mails.sendMail(input));
    updateVisibility({ status, details: status });
  } while (signals.hasPending());
  return status;
}
