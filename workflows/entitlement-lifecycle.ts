import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { statusQuery, type EntitlementInput } from './contracts.ts';
import { display } from './visibility.ts';
import { openMailbox, type Mail } from './signals.ts';
import { records } from './activities.ts';

/** Lives while a start or an end of access is ahead, and announces it when its time has come. */
export async function entitlementLifecycle(input: EntitlementInput, mail?: Mail): Promise<string> {
  const mailbox = openMailbox(mail);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  for (;;) {
    mailbox.take();
    const { isActive, remainingMs } = await records.settleEntitlement(input);
    status = isActive ? 'active' : 'inactive';
    const boundary = new Date(Date.now() + (remainingMs ?? 0)).toISOString();
    const details = remainingMs === null ? status : `${status} until ${boundary}`;
    display({ ...input, status, dueAt: remainingMs === null ? null : boundary, details });
    if (remainingMs === null && !mailbox.hasMail()) return status;
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof entitlementLifecycle>(input, mailbox.carry());
    }
    await mailbox.wait(remainingMs ?? 0, details);
  }
}
