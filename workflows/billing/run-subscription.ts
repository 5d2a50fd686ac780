// Follows a subscription to a product, and a membership alike.
import {
  allHandlersFinished,
  condition,
  currentUpdateInfo,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { cancelUpdate, statusQuery } from '../contracts.ts';
import { updateVisibility } from '../visibility.ts';
import { receiveSignals, summarize, type PendingSignals } from '../signals.ts';

type State = {
  status: string;
  isOpen: boolean;
  waitMs: number;
  waitsFor: string;
  productId?: string;
  personId: string;
};

type Steps = {
  /** Asks the processor and applies its response. */
  settle(summary: string): Promise<State>;
  requestChange(request: {
    change: 'cancel';
    updateId: string;
  }): Promise<'requested' | 'unchanged'>;
  restart(pending: PendingSignals): Promise<never>;
};

/** Follows a subscription from payment to payment, until it has ended here and at the processor. */
export async function runSubscription(
  { settle, requestChange, restart }: Steps,
  pending: PendingSignals | undefined,
): Promise<string> {
  const signals = receiveSignals(pending);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  acceptCancellation(requestChange, () => status);
  for (;;) {
    const found = await settle(summarize(signals.drain()));
    const { productId, personId, isOpen, waitMs, waitsFor } = found;
    status = found.status;
    const until = new Date(Date.now() + waitMs).toISOString();
    const details = isOpen ? `${status}: ${waitsFor} at ${until}` : status;
    const about = productId === undefined ? { personId } : { productId, personId };
    updateVisibility({ status, ...about, dueAt: isOpen ? until : null, details });
    const isSuggested = workflowInfo().continueAsNewSuggested;
    // An operator's request is answered before its run is over.
    if (!isOpen || isSuggested) await condition(allHandlersFinished);
    if (!isOpen && !signals.hasPending()) return status;
    if (isSuggested) await restart(signals.pending());
    if (isOpen) await signals.wait(waitMs, details);
  }
}

/**
 * An operator may cancel what the subscriber may cancel. The row stores the Update's id, so a reset
 * run does not apply it twice.
 */
function acceptCancellation(requestChange: Steps['requestChange'], readStatus: () => string): void {
  const validator = () => {
    if (readStatus() === 'ended') throw new Error('it has ended');
  };
  const cancel = () => requestChange({ change: 'cancel', updateId: currentUpdateInfo()!.id });
  setHandler(cancelUpdate, cancel, { validator });
}
