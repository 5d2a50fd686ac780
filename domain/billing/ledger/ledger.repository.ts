import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { total } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import {
  bookClearing,
  bookDisputeFee,
  bookReturn,
  type Entry,
  type ReceivedPayment,
  type ReturnKind,
  type BookedReturn,
} from './booking.ts';

type Booking = {
  /** Names what happened; the unique key books it once: `re_...:succeeded`. */
  name: string;
  refundId?: string | null;
  disputeId?: string | null;
};

type Charge = { paymentId: string; currency: string };

export type BookedPayment = ReceivedPayment & Charge;

/** Belongs in the transaction in which a payment clears. */
export async function recordClearing(em: EntityManager, payment: BookedPayment): Promise<void> {
  await book(em, { ...payment, name: `${payment.paymentId}:cleared` }, bookClearing(payment));
}

type Return = Booking & {
  kind: ReturnKind;
  /** Negative for money that comes back from the buyer. */
  changeMinor: number;
};

/**
 * Belongs in the transaction in which a refund or a dispute moves money. The excess over the gross
 * is the platform's loss and raises an alert.
 */
export async function recordReturn(
  em: EntityManager,
  payment: BookedPayment,
  { kind, changeMinor, ...booking }: Return,
): Promise<void> {
  if (changeMinor === 0) return;
  const { paymentId, currency } = payment;
  const returned = await readReturned(em, paymentId);
  const { entries, after } = bookReturn(payment, { returned, kind, changeMinor });
  await book(em, { ...booking, paymentId, currency }, entries);
  if (after.lostMinor === 0 && returned.lostMinor > 0) {
    await withdrawAlerts(em, { kinds: ['money_lost'], subject: paymentId });
  }
  if (after.lostMinor <= returned.lostMinor) return;
  const detail = { lost: `${after.lostMinor} ${currency}` };
  await raiseAlert(em, { kind: 'money_lost', subject: paymentId, detail });
}

/** A dispute's fee in one currency, which is not always the payment's. */
export type DisputeFee = { feeMinor: number; currency: string };

/** Books the difference to the dispute's earlier bookings; call it under the payment's lock. */
export async function recordDisputeFees(
  em: EntityManager,
  { name, paymentId, disputeId }: Record<'name' | 'paymentId' | 'disputeId', string>,
  fees: readonly DisputeFee[],
): Promise<void> {
  const booked = await kysely(em)
    .selectFrom('ledgerEntry')
    .select('currency')
    .select(({ fn }) => total(fn.sum('amountMinor')).as('sumMinor'))
    .where('disputeId', '=', disputeId)
    .where('account', '=', 'seller')
    .where('kind', '=', 'dispute_fee')
    .groupBy('currency')
    .execute();
  const currencies = new Set([...booked, ...fees].map(({ currency }) => currency));
  for (const currency of currencies) {
    // A fee lowers what the seller gets, so it is booked as a negative amount.
    const bookedMinor = 0 - (booked.find((sum) => sum.currency === currency)?.sumMinor ?? 0);
    const feeMinor = fees.find((fee) => fee.currency === currency)?.feeMinor ?? 0;
    const booking = { name: `${name}:${currency}`, paymentId, disputeId, currency };
    await book(em, booking, bookDisputeFee({ bookedMinor, feeMinor }));
  }
}

const RETURNS = ['refund', 'reversal', 'chargeback'] as const;

/** The ledger's state of a payment; call it under the payment's lock. */
async function readReturned(em: EntityManager, paymentId: string): Promise<BookedReturn> {
  const { lossMinor, ...returned } = await kysely(em)
    .selectFrom('ledgerEntry')
    .select(({ and, eb, fn }) => {
      const sum = fn.sum('amountMinor');
      const ofBuyer = and([eb('account', '=', 'buyer'), eb('kind', 'in', RETURNS)]);
      const ofSeller = and([eb('account', '=', 'seller'), eb('kind', '=', 'cut_returned')]);
      const ofPlatform = and([eb('account', '=', 'platform'), eb('kind', '=', 'loss')]);
      return [
        total(sum.filterWhere(ofBuyer)).as('returnedMinor'),
        total(sum.filterWhere(ofSeller)).as('cutReturnedMinor'),
        total(sum.filterWhere(ofPlatform)).as('lossMinor'),
      ];
    })
    .where('paymentId', '=', paymentId)
    .executeTakeFirstOrThrow();
  return { ...returned, lostMinor: 0 - lossMinor };
}

async function book(
  em: EntityManager,
  { name, paymentId, refundId = null, disputeId = null, currency }: Booking & Charge,
  entries: Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  const productId = selectProduct(em, paymentId);
  const of = { booking: name, paymentId, refundId, disputeId, productId, currency };
  await kysely(em)
    .insertInto('ledgerEntry')
    .values(
      entries.map(({ account, kind, amountMinor }) => ({ ...of, account, kind, amountMinor })),
    )
    .execute();
}

/** Finds null for money without a product. */
const selectProduct = (em: EntityManager, paymentId: string) =>
  kysely(em)
    .selectFrom('payment')
    .innerJoin('purchase', 'purchase.id', 'payment.purchaseId')
    .select('purchase.productId')
    .where('payment.id', '=', paymentId);
