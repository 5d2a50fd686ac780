import { raiseAlert, replaceAlerts, withdrawAlerts } from '../../alerts/alert.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import {
  bookClearing,
  bookDisputeFee,
  bookReturn,
  type Entry,
  type Received,
  type ReturnKind,
  type Returned,
} from './booking.ts';

type Booking = {
  /** Names what happened; the unique key books it once. */
  name: string;
  paymentId: string;
  refundId?: string | undefined;
  disputeId?: string | undefined;
  currency: string;
};

export type BookedPayment = Received & { paymentId: string; currency: string };

/** Belongs in the transaction in which a payment clears. */
export async function recordClearing(em: EntityManager, payment: BookedPayment): Promise<void> {
  const { paymentId, currency } = payment;
  await book(em, { name: `${paymentId}:cleared`, paymentId, currency }, bookClearing(payment));
}

type Return = {
  /** Names what happened, once: `re_...:succeeded`. */
  name: string;
  refundId?: string;
  disputeId?: string;
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
  { name, refundId, disputeId, kind, changeMinor }: Return,
): Promise<void> {
  if (changeMinor === 0) return;
  const { paymentId, currency } = payment;
  const returned = await readReturned(em, paymentId);
  const { entries, after } = bookReturn(payment, { returned, kind, changeMinor });
  await book(em, { name, paymentId, refundId, disputeId, currency }, entries);
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
  const booked = await rows<{ currency: string; bookedMinor: string }>(
    em,
    `select currency, -sum(amount_minor) as "bookedMinor" from ledger_entry
     where dispute_id = ? and account = 'seller' and kind = 'dispute_fee' group by currency`,
    [disputeId],
  );
  const currencies = new Set([...booked, ...fees].map(({ currency }) => currency));
  for (const currency of currencies) {
    const bookedMinor = Number(booked.find((row) => row.currency === currency)?.bookedMinor ?? 0);
    const feeMinor = fees.find((fee) => fee.currency === currency)?.feeMinor ?? 0;
    const booking = { name: `${name}:${currency}`, paymentId, disputeId, currency };
    await book(em, booking, bookDisputeFee({ bookedMinor, feeMinor }));
  }
}

const RETURNS = `('refund', 'reversal', 'chargeback')`;

/** The ledger's state of a payment; call it under the payment's lock. */
async function readReturned(em: EntityManager, paymentId: string): Promise<Returned> {
  const [row] = await rows<Record<keyof Returned, string>>(
    em,
    `select
       coalesce(sum(amount_minor) filter (where account = 'buyer' and kind in ${RETURNS}), 0)
         as "returnedMinor",
       coalesce(sum(amount_minor) filter (where account = 'seller' and kind = 'cut_returned'), 0)
         as "cutReturnedMinor",
       coalesce(-sum(amount_minor) filter (where account = 'platform' and kind = 'loss'), 0)
         as "lostMinor"
     from ledger_entry where payment_id = ?`,
    [paymentId],
  );
  const { returnedMinor, lostMinor, cutReturnedMinor } = row!;
  return {
    returnedMinor: Number(returnedMinor),
    lostMinor: Number(lostMinor),
    cutReturnedMinor: Number(cutReturnedMinor),
  };
}

// Null for money without a product.
const PRODUCT = `(select u.product_id from payment y join purchase u on u.id = y.purchase_id
  where y.id = ?)`;

async function book(
  em: EntityManager,
  { name, paymentId, refundId, disputeId, currency }: Booking,
  entries: Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  const values = entries.flatMap(({ account, kind, amountMinor }) => [
    name,
    account,
    kind,
    amountMinor,
    currency,
    paymentId,
    refundId ?? null,
    disputeId ?? null,
    paymentId,
  ]);
  await rows(
    em,
    `insert into ledger_entry
       (booking, account, kind, amount_minor, currency, payment_id, refund_id, dispute_id,
        product_id)
     values ${entries.map(() => `(?, ?, ?, ?, ?, ?, ?, ?, ${PRODUCT})`).join(', ')}`,
    values,
  );
}

/** Adds up each currency and stores the result: the currencies that are not zero. */
export async function checkLedger(em: EntityManager): Promise<Record<string, string>> {
  const [row] = await rows<{ unbalanced: Record<string, string> }>(
    em,
    `insert into ledger_check (unbalanced)
     select coalesce(json_object_agg(currency, left_over::text), '{}') from (
       select currency, sum(amount_minor) as left_over from ledger_entry
       group by currency having sum(amount_minor) <> 0
     ) found returning unbalanced`,
  );
  const { unbalanced } = row!;
  const alerts = Object.entries(unbalanced).map(([subject, left]) => ({
    subject,
    detail: { left },
  }));
  await replaceAlerts(em, 'ledger_unbalanced', alerts);
  return unbalanced;
}

/** The result of the last check and its age; null before the first one. */
export async function readLedgerCheck(
  em: EntityManager,
): Promise<{ unbalanced: number; ageS: number } | null> {
  const [row] = await rows<{ unbalanced: number; ageS: number }>(
    em,
    `select (select count(*)::int from jsonb_object_keys(unbalanced)) as unbalanced,
       extract(epoch from gatehouse_now() - at)::float as "ageS"
     from ledger_check order by id desc limit 1`,
  );
  return row ?? null;
}
