import { newSecret } from '../../../domain/shared/ids.ts';
import type { Queryable, Transaction } from '../database.ts';
import { recordObject } from '../records/event.repository.ts';
import type { CardOutcome } from '../page/cards.ts';
import { presentSubscription, type SubscriptionRow } from './billing-objects.ts';

const SUBSCRIPTIONS = `
  select s.*, s.period_end <= simulator.now() as is_over, simulator.now() as read_at,
    simulator.period_at(s.started_at, c.recurring_interval, s.period) as period_start,
    c.amount, c.currency, c.product_name, c.customer_email, c.intent_metadata as metadata,
    coalesce(s.destination, c.destination) as destination,
    coalesce(s.fee_percent, c.application_fee_percent) as application_fee_percent,
    c.recurring_interval,
    (select id from simulator.invoice where subscription_id = s.id
      order by period desc limit 1) as latest_invoice
  from simulator.subscription s
  join simulator.checkout_session c on c.id = s.session_id`;

export async function findSubscription(db: Queryable, id: string) {
  return (await db.query<SubscriptionRow>(`${SUBSCRIPTIONS} where s.id = $1`, [id])).rows[0];
}

export async function findSubscriptionOfCustomer(db: Queryable, customerId: string) {
  const sql = `${SUBSCRIPTIONS} where s.customer_id = $1`;
  return (await db.query<SubscriptionRow>(sql, [customerId])).rows[0];
}

/** Locks the subscription's row, which guards all that happens to it. */
export async function lockSubscription(client: Transaction, id: string) {
  await client.query('select 1 from simulator.subscription where id = $1 for update', [id]);
  return findSubscription(client, id);
}

/** What a complete session leads to; its invoice for the first period is the session's payment. */
export async function insertSubscription(
  client: Transaction,
  { sessionId, card }: { sessionId: string; card: CardOutcome },
): Promise<SubscriptionRow> {
  const id = `sub_${newSecret().slice(0, 24)}`;
  await client.query(
    `insert into simulator.subscription
       (id, session_id, customer_id, status, card, started_at, period_end)
     select $1, c.id, $2, 'active', $3, t.at, simulator.period_at(t.at, c.recurring_interval, 1)
     from simulator.checkout_session c, (select simulator.now() as at) t where c.id = $4`,
    [id, `cus_${newSecret().slice(0, 14)}`, card, sessionId],
  );
  return (await findSubscription(client, id))!;
}

export async function beginNextPeriod(client: Transaction, id: string): Promise<void> {
  await client.query(
    `update simulator.subscription s set period = s.period + 1,
       period_end = simulator.period_at(s.started_at, c.recurring_interval, s.period + 2)
     from simulator.checkout_session c where c.id = s.session_id and s.id = $1`,
    [id],
  );
}

export async function markSubscription(
  client: Transaction,
  { id, status }: { id: string; status: 'active' | 'past_due' },
): Promise<void> {
  await client.query(
    `update simulator.subscription set status = $2 where id = $1 and status <> 'canceled'`,
    [id, status],
  );
}

/** Nobody tries its open invoices any more; they stay open, as at Stripe. */
export async function endSubscription(
  client: Transaction,
  { id, at }: { id: string; at: Date },
): Promise<void> {
  await client.query(
    `update simulator.subscription set status = 'canceled', ended_at = $2,
       canceled_at = coalesce(canceled_at, $2) where id = $1`,
    [id, at],
  );
  await client.query(
    'update simulator.invoice set next_attempt_at = null where subscription_id = $1',
    [id],
  );
  await tellSubscription(client, { id, what: 'deleted', at });
}

export async function planEnd(
  client: Transaction,
  { id, isCancel }: { id: string; isCancel: boolean },
): Promise<void> {
  const changed = await client.query<{ at: Date }>(
    `update simulator.subscription set cancel_at_period_end = $2,
       canceled_at = case when $2 then simulator.now() end
     where id = $1 and cancel_at_period_end <> $2 returning simulator.now() as at`,
    [id, isCancel],
  );
  const at = changed.rows[0]?.at;
  if (at) await tellSubscription(client, { id, what: 'updated', at });
}

/** Moves the payouts from the next charge on. */
export async function movePayouts(
  client: Transaction,
  { id, destination, feePercent }: { id: string; destination: string; feePercent: string | null },
): Promise<void> {
  const changed = await client.query<{ at: Date }>(
    `update simulator.subscription set destination = $2, fee_percent = coalesce($3, fee_percent)
     where id = $1 returning simulator.now() as at`,
    [id, destination, feePercent],
  );
  await tellSubscription(client, { id, what: 'updated', at: changed.rows[0]!.at });
}

export async function keepCard(
  client: Transaction,
  { id, card }: { id: string; card: CardOutcome },
): Promise<void> {
  await client.query('update simulator.subscription set card = $2 where id = $1', [id, card]);
}

type Notice = { id: string; what: 'created' | 'updated' | 'deleted'; at: Date };

export async function tellSubscription(
  client: Transaction,
  { id, what, at }: Notice,
): Promise<void> {
  const object = presentSubscription((await findSubscription(client, id))!);
  await recordObject(client, { type: `customer.subscription.${what}`, at, object });
}
