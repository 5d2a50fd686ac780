// What follows money that comes again and again, of whatever kind.
import {
  allHandlersFinished,
  condition,
  currentUpdateInfo,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RequestedChange } from '../domain/billing/subscriptions/change-request.repository.ts';
import { cancelUpdate, resumeUpdate, statusQuery } from './contracts.ts';
import { display } from './visibility.ts';
import { openMailbox, summarize, type Mail } from './signals.ts';

type State = {
  status: string;
  isOpen: boolean;
  waitMs: number;
  waitsFor: string;
  productId?: string;
  personId: string;
};

type Followed = {
  /** Asks the processor, and applies its answer. */
  settle(summary: string): Promise<State>;
  requestChange(asked: {
    change: RequestedChange;
    updateId: string;
  }): Promise<'asked' | 'unchanged'>;
  goOn(mail: Mail): Promise<never>;
};

/** From payment to payment, until it has ended here and at the processor. */
export async function followRenewals(
  { settle, requestChange, goOn }: Followed,
  mail: Mail | undefined,
): Promise<string> {
  const mailbox = openMailbox(mail);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  acceptRequests(requestChange, () => status);
  for (;;) {
    const found = await settle(summarize(mailbox.take()));
    const { productId, personId, isOpen, waitMs, waitsFor } = found;
    status = found.status;
    const until = new Date(Date.now() + waitMs).toISOString();
    const details = isOpen ? `${status}: ${waitsFor} at ${until}` : status;
    const about = productId === undefined ? { personId } : { productId, personId };
    display({ status, ...about, dueAt: isOpen ? until : null, details });
    const isAsked = workflowInfo().continueAsNewSuggested;
    // An operator's request is answered before the run that took it is over.
    if (!isOpen || isAsked) await condition(allHandlersFinished);
    if (!isOpen && !mailbox.hasMail()) return status;
    if (isAsked) await goOn(mailbox.carry());
    if (isOpen) await mailbox.wait(waitMs, details);
  }
}

/**
 * Operators may ask for what its person may: the row decides, and its own message comes back here. The
 * row remembers the Update by its id: a run that is reset hears of it again.
 */
function acceptRequests(requestChange: Followed['requestChange'], readStatus: () => string): void {
  const validator = () => {
    if (readStatus() === 'ended') throw new Error('it has ended');
  };
  const ask = (asked: RequestedChange) => () =>
    requestChange({ change: asked, updateId: currentUpdateInfo()!.id });
  setHandler(cancelUpdate, ask('cancel'), { validator });
  setHandler(resumeUpdate, ask('resume'), { validator });
}
