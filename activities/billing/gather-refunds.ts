import type { RefundFact } from '../../domain/billing/refunds/apply-refunds.repository.ts';
import {
  failIntent,
  markSubmitted,
  type OpenIntent,
  type PaidCharge,
} from '../../domain/billing/refunds/refund.repository.ts';
import {
  ProcessorFault,
  UnknownProcessorState,
  type RefundState,
} from '../../clients/processor/processor.ts';
import type { RefundInput } from '../../clients/processor/refunds.ts';
import type { Services } from '../services.ts';

type PayerKey = Pick<RefundInput, 'purchaseId' | 'membershipId'>;
type RefundRequest = { about: PayerKey; payments: PaidCharge[]; intents: OpenIntent[] };

/** All refunds of these payments at the processor, after the waiting ones were submitted. */
export async function gatherRefunds(
  services: Services,
  { about, payments, intents }: RefundRequest,
) {
  const facts = await inGroups(payments, async (payment) => {
    const known = await services.processor.listRefunds(payment.processorId);
    const ofPayment = intents.filter(({ paymentId }) => paymentId === payment.paymentId);
    // A refund that the processor has is not submitted again, because its memory of idempotency
    // keys ends.
    const missing = ofPayment.filter(({ refundId }) => !known.some(isMeant(refundId)));
    for (const intent of missing) {
      const made = await submit(services, { about, payment, intent });
      if (made) known.push(made);
    }
    return known.map((state) => toFact(state, payment));
  });
  return facts.flat();
}

const GROUP_SIZE = 8;

/** Years of monthly payments fit into one activity, and the processor's limit of requests holds. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += GROUP_SIZE) {
    results.push(...(await Promise.all(items.slice(start, start + GROUP_SIZE).map(work))));
  }
  return results;
}

async function submit(
  { database, processor, logger }: Services,
  { about, payment, intent }: { about: PayerKey; payment: PaidCharge; intent: OpenIntent },
): Promise<RefundState | null> {
  const { refundId, amountMinor, reason } = intent;
  await database.transaction((em) => markSubmitted(em, refundId));
  try {
    return await processor.refund({
      refundId,
      ...about,
      paymentIntentId: payment.processorId,
      amountMinor,
      currency: payment.currency,
      reason: reason === 'not_as_agreed' ? null : reason,
    });
  } catch (error) {
    if (!isPermanent(error)) throw error;
    logger.error({ alert: 'refund_failed', refundId, err: error }, 'a refund was refused');
    await database.transaction((em) => failIntent(em, { refundId, failure: error.message }));
    return null;
  }
}

function isMeant(id: string) {
  return ({ refundId }: RefundState) => refundId === id;
}

/** RangeError: the processor has no unit small enough for the amount. */
function isPermanent(error: unknown): error is Error {
  return error instanceof RangeError || (error instanceof ProcessorFault && error.isPermanent);
}

function toFact(state: RefundState, { paymentId, currency }: PaidCharge): RefundFact {
  if (state.currency !== currency) {
    throw new UnknownProcessorState(`refund ${state.processorId} in another currency`);
  }
  const { processorId, refundId, status, amountMinor, failure } = state;
  return { paymentId, processorId, refundId, status, amountMinor, failure };
}
