import { raiseAlert } from '../../alerts/alert.store.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import {
  bookClearing,
  bookReturn,
  type Entry,
  type Received,
  type ReturnKind,
  type Standing,
} from './booking.ts';

type Booking = {
  /** What happened; the unique key that makes it happen once. */
  name: string;
  paymentId: string;
  refundId?: string;
  currency: string;
};

export type BookedPayment = Received & { paymentId: string; currency: string };

/** In the transaction in which a payment clears. */
export async function recordClearing(em: EntityManager, payment: BookedPayment): Promise<void> {
  const { paymentId, currency } = payment;
  await book(em, { name: `${paymentId}:cleared`, paymentId, currency }, bookClearing(payment));
}

type Return = {
  /** What happened, once: `re_...:succeeded`. */
  name: string;
  refundId?: string;
  kind: ReturnKind;
  /** Negative for what comes back from the buyer. */
  changeMinor: number;
};

/**
 * In the transaction in which a refund or a dispute moves money. What is beyond the gross is the
 * platform's loss, and an operator is told.
 */
export async function recordReturn(
  em: EntityManager,
  payment: BookedPayment,
  { name, refundId, kind, changeMinor }: Return,
): Promise<void> {
  if (changeMinor === 0) return;
  const { paymentId, currency } = payment;
  const standing = await readStanding(em, paymentId);
  const { entries, after } = bookReturn(payment, { standing, kind, changeMinor });
  const booking = { name, paymentId, currency, ...(refundId === undefined ? {} : { refundId }) };
  await book(em, booking, entries);
  if (after.lostMinor <= standing.lostMinor) return;
  const detail = { lost: `${after.lostMinor} ${currency}` };
  await raiseAlert(em, { kind: 'money_lost', subject: paymentId, detail });
}

const RETURNS = `('refund', 'reversal', 'chargeback')`;

/** Under the payment's lock: what the ledger says of it so far. */
async function readStanding(em: EntityManager, paymentId: string): Promise<Standing> {
  const [row] = await rows<Record<keyof Standing, string>>(
    em,
    `select
       coalesce(-sum(amount_minor) filter (where account = 'seller' and kind in ${RETURNS}), 0)
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

async function book(
  em: EntityManager,
  { name, paymentId, refundId, currency }: Booking,
  entries: Entry[],
): Promise<void> {
  const values = entries.flatMap(({ account, kind, amountMinor }) => [
    name,
    account,
    kind,
    amountMinor,
    currency,
    paymentId,
    refundId ?? null,
  ]);
  await rows(
    em,
    `insert into ledger_entry
       (booking, account, kind, amount_minor, currency, payment_id, refund_id)
     values ${entries.map(() => '(?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    values,
  );
}

/** Adds up each currency and keeps what was found: nothing, or a fault that a human has to see. */
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
  for (const [subject, left] of Object.entries(unbalanced)) {
    await raiseAlert(em, { kind: 'ledger_unbalanced', subject, detail: { left } });
  }
  return unbalanced;
}

/** What the last check found, and how long ago; null before the first. */
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
