import { setHandler } from '@temporalio/workflow';
import { waitForNewsMs } from '../../domain/billing/purchases/purchase-status.ts';
import { REFUND_WAIT_MS } from '../../domain/billing/refunds/refund-status.ts';
import { statusQuery, type PurchaseInput } from '../contracts.ts';
import { updateVisibility } from '../visibility.ts';
import { continueWhenLong, receiveSignals, summarize, type PendingSignals } from '../signals.ts';
import { processor } from '../activities.ts';

/**
 * Follows one purchase: each message leads to a reading at the processor, until the purchase is
 * final.
 */
export async function purchaseClearing(input: PurchaseInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  let status = 'opening';
  setHandler(statusQuery, () => status);
  for (;;) {
    const summary = summarize(signals.drain());
    const purchase = await processor.settlePurchase.executeWithOptions({ summary }, [input]);
    const refunds = purchase.hasRefunds ? await settleRefunds(input, summary) : null;
    const isDeadLettered = purchase.isDeadLettered || refunds?.status === null;
    status = isDeadLettered ? 'dead_lettered' : (refunds?.status ?? purchase.status);
    const isOpen = purchase.isOpen || refunds?.isOpen === true;
    const waitMs = refunds?.isOpen ? REFUND_WAIT_MS : waitForNewsMs(purchase);
    const until = new Date(Date.now() + waitMs).toISOString();
    updateVisibility({
      status,
      productId: purchase.productId,
      personId: purchase.personId,
      details: isOpen ? `${status}: waiting for the processor until ${until}` : status,
    });
    if (!isOpen && !signals.hasPending()) return status;
    await continueWhenLong(input, signals);
    if (isOpen) await signals.wait(waitMs, `${status}: asking again at ${until}`);
  }
}

function settleRefunds(input: PurchaseInput, summary: string) {
  return processor.settleRefunds.executeWithOptions({ summary: `refunds, ${summary}` }, [input]);
}
