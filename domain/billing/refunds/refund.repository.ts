import { expressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { raiseAlert } from '../../alerts/alert.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW, CLOCK, total } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { REFUND_EVENTS } from '../processor-inbox/event-type.ts';
import { unhandledEventsOf } from '../processor-inbox/covered-events.repository.ts';
import { RECEIVED_STATUSES } from '../purchases/payment-status.ts';
import { OPEN_REFUND_STATUSES, type IntentReason, type UsedAmounts } from './refund-status.ts';
import { Refund } from './refund.entity.ts';

export type PaidCharge = { paymentId: string; processorId: string; currency: string };

export type OpenIntent = {
  refundId: string;
  paymentId: string;
  amountMinor: number;
  reason: IntentReason | null;
};

export type RefundFencingToken = Awaited<ReturnType<typeof takeRefundFencingToken>>;

/** Takes the next sequence number, before the processor is asked what has gone back. */
export async function takeRefundFencingToken(em: EntityManager, purchaseId: string) {
  const fence = await kysely(em)
    .updateTable('purchase')
    .set(({ eb }) => ({ sequence: eb('purchase.sequence', '+', 1) }))
    .where('purchase.id', '=', purchaseId)
    .returning(['purchase.sequence', 'purchase.productId', 'purchase.personId'])
    .returning(({ fn }) => [
      fn<PaidCharge[]>('array', [paidChargesOf('purchase')]).as('payments'),
      // Requested refunds that the processor does not have, as far as we know.
      fn<OpenIntent[]>('array', [openIntentsOf('purchase')]).as('intents'),
      fn<string[]>('array', [refundEvents().select('processorEvent.id')]).as('eventIds'),
    ])
    .executeTakeFirst();
  if (!fence) throw new Error(`there is no purchase ${purchaseId}`);
  return fence;
}

/**
 * The processor has to be asked about refunds: one is requested or under way, or an event about one
 * came.
 */
export async function isRefundAwaited(em: EntityManager, purchaseId: string): Promise<boolean> {
  const found = await kysely(em)
    .selectFrom('purchase')
    .select('purchase.id')
    .where('purchase.id', '=', purchaseId)
    .where(({ exists, or }) =>
      or([
        exists(dueRefundsOf('purchase').select('refund.id')),
        exists(
          refundEvents()
            .select('processorEvent.id')
            .where('processorEvent.deadLetterReason', 'is', null),
        ),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}

/** Unhandled refund events. */
const refundEvents = () =>
  unhandledEventsOf('purchase').where('processorEvent.type', '=', anyOf(REFUND_EVENTS));

type Payer = 'purchase' | 'membership';

/** The charges of the statement's purchase or membership. */
function chargesOf(payer: Payer) {
  const { selectFrom } = expressionBuilder<Tables, Payer>();
  return selectFrom('payment').whereRef(`payment.${payer}Id`, '=', `${payer}.id`);
}

/** The charges whose money arrived. */
export const receivedPaymentsOf = (payer: Payer) =>
  chargesOf(payer).where('payment.status', 'in', RECEIVED_STATUSES);

/** The open refunds of all charges; a refund of money that is still to come waits for it. */
export const openRefundsOf = (payer: Payer) =>
  chargesOf(payer)
    .innerJoin('refund', 'refund.paymentId', 'payment.id')
    .where('refund.status', 'in', OPEN_REFUND_STATUSES);

/** The open refunds that the processor can make: their money arrived. */
export const dueRefundsOf = (payer: Payer) =>
  openRefundsOf(payer).where('payment.status', 'in', RECEIVED_STATUSES);

export const paidChargesOf = (payer: Payer) =>
  receivedPaymentsOf(payer)
    .select(({ ref }) =>
      jsonBuildObject({
        paymentId: ref('payment.id'),
        processorId: ref('payment.processorId'),
        currency: ref('payment.currency'),
      }).as('charge'),
    )
    .orderBy('payment.id');

export const openIntentsOf = (payer: Payer) =>
  dueRefundsOf(payer)
    .select(({ ref }) =>
      jsonBuildObject({
        refundId: ref('refund.id'),
        paymentId: ref('refund.paymentId'),
        amountMinor: ref('refund.amountMinor'),
        reason: ref('refund.reason'),
      }).as('intent'),
    )
    .where('refund.processorId', 'is', null)
    .orderBy('refund.createdAt')
    .orderBy('refund.id');

/** The amounts of a payment that are already used. */
export async function readTaken(em: EntityManager, paymentId: string): Promise<UsedAmounts> {
  return kysely(em)
    .selectFrom('payment')
    .leftJoin('refund', 'refund.paymentId', 'payment.id')
    .select('payment.grossMinor')
    .select(({ fn, selectFrom: from }) => {
      const refunds = fn.sum('refund.amountMinor');
      const disputes = from('dispute')
        .select((dispute) => dispute.fn.sum('dispute.amountMinor').as('sum'))
        .whereRef('dispute.paymentId', '=', 'payment.id')
        .where('dispute.status', 'in', ['open', 'lost'])
        .whereRef('dispute.currency', '=', 'payment.currency');
      return [
        total(refunds.filterWhere('refund.status', '=', 'succeeded')).as('refundedMinor'),
        total(refunds.filterWhere('refund.status', 'in', OPEN_REFUND_STATUSES)).as('underWayMinor'),
        total(disputes).as('disputedMinor'),
      ];
    })
    .where('payment.id', '=', paymentId)
    .groupBy('payment.id')
    .executeTakeFirstOrThrow();
}

/** The money never came, so nothing can be refunded. */
export async function cancelIntents(em: EntityManager, purchaseId: string): Promise<void> {
  await kysely(em)
    .updateTable('refund')
    .from('payment')
    .set({ status: 'canceled', settledAt: NOW })
    .whereRef('payment.id', '=', 'refund.paymentId')
    .where('payment.purchaseId', '=', purchaseId)
    .where('refund.status', '=', 'requested')
    .execute();
}

/** Belongs before the call to the processor: from now on the money may be on its way. */
export async function markSubmitted(em: EntityManager, refundId: string): Promise<void> {
  await em.nativeUpdate(Refund, { id: refundId, status: 'requested' }, { status: 'submitted' });
}

/** The processor refused for good and has no such refund. */
export async function failIntent(
  em: EntityManager,
  { refundId, failure }: { refundId: string; failure: string },
): Promise<void> {
  const submitted = { id: refundId, status: 'submitted' as const, processorId: null };
  const settled = { failure: failure.slice(0, 200), settledAt: CLOCK };
  await em.nativeUpdate(Refund, submitted, { status: 'failed', ...settled });
  await raiseAlert(em, { kind: 'refund_failed', subject: refundId, detail: { failure } });
}
