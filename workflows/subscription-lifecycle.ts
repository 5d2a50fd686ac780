import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { cancelUpdate, resumeUpdate, statusQuery, type SubscriptionInput } from './contracts.ts';
import { display } from './display.ts';
import { openMailbox, summarize, type Mail } from './mailbox.ts';
import { processor, records } from './proxies.ts';

/** Follows one subscription from payment to payment, until it has ended here and at the processor. */
export async function subscriptionLifecycle(
  input: SubscriptionInput,
  mail?: Mail,
): Promise<string> {
  const mailbox = openMailbox(mail);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  takeWishes(input, () => status);
  for (;;) {
    const summary = summarize(mailbox.take());
    const found = await processor.settleSubscription.executeWithOptions({ summary }, [input]);
    const { productId, personId, isOpen, waitMs, waitsFor } = found;
    status = found.status;
    const until = new Date(Date.now() + waitMs).toISOString();
    const details = isOpen ? `${status}: ${waitsFor} at ${until}` : status;
    display({ status, productId, personId, dueAt: isOpen ? until : null, details });
    const isAsked = workflowInfo().continueAsNewSuggested;
    // An operator's wish is answered before the run that took it is over.
    if (!isOpen || isAsked) await condition(allHandlersFinished);
    if (!isOpen && !mailbox.hasMail()) return status;
    if (isAsked) await continueAsNew<typeof subscriptionLifecycle>(input, mailbox.carry());
    if (isOpen) await mailbox.wait(waitMs, details);
  }
}

/** Operators may wish for what its person may: the row decides, and its own message comes back here. */
function takeWishes(input: SubscriptionInput, readStatus: () => string): void {
  const validator = () => {
    if (readStatus() === 'ended') throw new Error('the subscription has ended');
  };
  const wish = (kind: 'cancel' | 'resume') => () =>
    records.wishSubscription({ ...input, wish: kind });
  setHandler(cancelUpdate, wish('cancel'), { validator });
  setHandler(resumeUpdate, wish('resume'), { validator });
}
