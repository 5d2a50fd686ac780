import { validateProcessorAmount } from '../../../clients/processor/amounts.ts';
import type pg from 'pg';
import { newSecret } from '../../../domain/shared/ids.ts';
import { ApiError, noSuch } from '../api/api-error.ts';
import type { RefundListParameters, RefundParameters } from '../api/parameters.ts';
import { transaction, type Queryable, type Transaction } from '../database.ts';
import { recordObject } from './event.repository.ts';
import { presentRefund, type RefundRow } from '../stripe-objects.ts';

const REFUNDS = `
  select r.*, s.currency, simulator.now() as read_at
  from simulator.refund r
  join simulator.payment_intent i on i.id = r.intent_id
  join simulator.checkout_session s on s.id = i.session_id`;

export async function findRefund(db: Queryable, id: string): Promise<RefundRow | undefined> {
  return (await db.query<RefundRow>(`${REFUNDS} where r.id = $1`, [id])).rows[0];
}

/** The newest first, or those before one of them; one more than asked for where there are more. */
export async function listRefunds(
  db: Queryable,
  asked: RefundListParameters,
): Promise<RefundRow[]> {
  const { rows } = await db.query<RefundRow>(
    `${REFUNDS} where ($1::text is null or r.intent_id = $1)
       and ($2::text is null or (r.created_at, r.id) <
         (select created_at, id from simulator.refund where id = $2))
     order by r.created_at desc, r.id desc limit $3`,
    [asked.payment_intent ?? null, asked.starting_after ?? null, asked.limit + 1],
  );
  return rows;
}

type Charge = {
  status: string;
  refunds: 'succeed' | 'succeed_late' | 'fail_late';
  amount: string;
  currency: string;
  destination: string | null;
  application_fee: string | null;
  refunded: string;
};

/** Sends money back, as much as is left of it: the intent's row is the lock. */
export async function insertRefund(
  client: Transaction,
  given: RefundParameters,
): Promise<RefundRow> {
  const charge = await lockCharge(client, given.payment_intent);
  const left = Number(charge.amount) - Number(charge.refunded);
  const amount = given.amount ?? left;
  requireRefundable(charge, { ...given, amount, left });
  const id = `re_${newSecret().slice(0, 24)}`;
  await client.query(
    `insert into simulator.refund
       (id, intent_id, amount, status, reason, metadata, transfer_reversal, settles_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7,
       case when $8 <> 'succeed' then simulator.now() + interval '3 days' end, simulator.now())`,
    [
      id,
      given.payment_intent,
      amount,
      charge.refunds === 'succeed_late' ? 'pending' : 'succeeded',
      given.reason ?? null,
      given.metadata,
      given.reverse_transfer ? `trr_${newSecret().slice(0, 24)}` : null,
      charge.refunds,
    ],
  );
  const refund = (await findRefund(client, id))!;
  await tell(client, refund, 'created');
  return refund;
}

async function lockCharge(client: Transaction, intentId: string): Promise<Charge> {
  await client.query('select 1 from simulator.payment_intent where id = $1 for update', [intentId]);
  const { rows } = await client.query<Charge>(
    `select i.status, i.refunds, s.amount, s.currency, s.destination, s.application_fee,
       coalesce((select sum(amount) from simulator.refund
         where intent_id = i.id and status <> 'failed'), 0) as refunded
     from simulator.payment_intent i join simulator.checkout_session s on s.id = i.session_id
     where i.id = $1`,
    [intentId],
  );
  if (!rows[0]) {
    throw noSuch('payment_intent', { id: intentId, param: 'payment_intent', status: 400 });
  }
  return rows[0];
}

function requireRefundable(
  charge: Charge,
  asked: RefundParameters & { amount: number; left: number },
): void {
  if (charge.status !== 'succeeded') {
    throw refused('payment_intent', { message: 'This PaymentIntent has no successful charge.' });
  }
  if (asked.left <= 0) {
    const message = 'This charge has already been refunded.';
    throw refused('payment_intent', { message, code: 'charge_already_refunded' });
  }
  const problem = validateProcessorAmount(asked.amount, charge.currency.toUpperCase());
  if (problem === 'no_such_step') {
    throw refused('amount', { message: 'The last digit must be 0 in this currency.' });
  }
  if (asked.amount > asked.left) {
    throw refused('amount', {
      message: `Refund amount (${asked.amount}) is greater than unrefunded amount on charge (${asked.left}).`,
    });
  }
  if (asked.reverse_transfer && charge.destination === null) {
    throw refused('reverse_transfer', { message: 'The charge has no associated transfer.' });
  }
  if (asked.refund_application_fee && !Number(charge.application_fee)) {
    throw refused('refund_application_fee', { message: 'The charge has no application fee.' });
  }
}

function refused(param: string, { message, code }: { message: string; code?: string }): ApiError {
  return new ApiError(400, { message, param, ...(code === undefined ? {} : { code }) });
}

/** What only the passing of time brings about: refunds arrive, or come back. */
export async function settleRefunds(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from simulator.refund where settles_at <= simulator.now()
     order by settles_at limit 100`,
  );
  for (const { id } of rows) await transaction(pool, (client) => settleRefund(client, id));
}

async function settleRefund(client: Transaction, id: string): Promise<void> {
  const settled = await client.query(
    `update simulator.refund set settles_at = null,
       failure_reason = case when status = 'succeeded' then 'expired_or_canceled_card' end,
       status = case when status = 'succeeded' then 'failed' else 'succeeded' end
     where id = $1 and settles_at is not null`,
    [id],
  );
  if (settled.rowCount === 0) return;
  const refund = (await findRefund(client, id))!;
  await tell(client, refund, 'updated');
  if (refund.status === 'failed') await tell(client, refund, 'failed');
}

async function tell(
  client: Transaction,
  refund: RefundRow,
  what: 'created' | 'updated' | 'failed',
): Promise<void> {
  const object = presentRefund(refund);
  await recordObject(client, { type: `refund.${what}`, at: refund.read_at, object });
}
