import type pg from 'pg';
import { newSecret } from '../../../domain/shared/ids.ts';
import { loadStripe } from '../../../clients/processor/stripe.ts';
import type { Transaction } from '../database.ts';
import { presentIntent, presentSession, type SessionRow } from '../stripe-objects.ts';
import { seconds } from '../unix-time.ts';

export type EventType =
  | 'account.updated'
  | 'payout.paid'
  | 'payout.failed'
  | 'checkout.session.completed'
  | 'checkout.session.expired'
  | 'checkout.session.async_payment_succeeded'
  | 'checkout.session.async_payment_failed'
  | 'payment_intent.payment_failed'
  | 'payment_intent.requires_action'
  | 'charge.dispute.created'
  | 'charge.dispute.updated'
  | 'charge.dispute.closed'
  | 'customer.subscription.created'
  | 'customer.subscription.updated'
  | 'customer.subscription.deleted'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.failed';

export type DueEvent = { id: string; body: string; attempts: number; copies: number };

// Longer than a delivery may take: what a dead process held is taken up again after it.
const LEASE_SECONDS = 30;
const PAUSES_SECONDS = [1, 2, 5, 10, 30];
const LAST_PAUSE_SECONDS = 60;

/** Part of the transaction that changes what the event tells. */
export async function recordEvent(
  client: Transaction,
  session: SessionRow,
  type: EventType,
): Promise<void> {
  const isAboutIntent = type.startsWith('payment_intent.') && session.intent;
  // A session that is no longer open has no page, so its public address is not needed here.
  const object = isAboutIntent
    ? presentIntent(session, isAboutIntent)
    : presentSession(session, '');
  await recordObject(client, { type, at: session.read_at, object });
}

type NewEvent = {
  type: EventType;
  at: Date;
  object: object;
  /** The connected account that it happened in; none for the platform's own. */
  account?: string | undefined;
};

/** What the knob says happens to it, while there are events left for the knob. */
export async function recordObject(
  client: Transaction,
  { type, at, object, account }: NewEvent,
): Promise<void> {
  const id = `evt_${newSecret().slice(0, 24)}`;
  const event = {
    account,
    id,
    object: 'event',
    api_version: loadStripe().API_VERSION,
    created: seconds(at),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  await client.query(
    `with turned as (
       update simulator.knob set events_left = events_left - 1 where events_left > 0
       returning fate, copies)
     insert into simulator.event (id, body, fate, copies)
     select $1, $2, coalesce((select fate from turned), 'send'),
       coalesce((select copies from turned), 0)`,
    [id, JSON.stringify(event)],
  );
}

// Attempts are paced by the real clock: where the business clock is moved or slow, they go on.

export async function claimDueEvents(pool: pg.Pool, limit: number): Promise<DueEvent[]> {
  const { rows } = await pool.query<DueEvent>(
    `update simulator.event set attempts = attempts + 1,
       next_at = clock_timestamp() + $1 * interval '1 second'
     where number in (
       select number from simulator.event
       where delivered_at is null and next_at <= clock_timestamp() and fate = 'send'
       order by number limit $2 for update skip locked)
     returning id, body, attempts, copies`,
    [LEASE_SECONDS, limit],
  );
  return rows;
}

export async function markDelivered(pool: pg.Pool, id: string): Promise<void> {
  await pool.query('update simulator.event set delivered_at = clock_timestamp() where id = $1', [
    id,
  ]);
}

/** The next attempt, or none when the event is three days old. */
export async function postpone(pool: pg.Pool, event: DueEvent): Promise<void> {
  const pause = PAUSES_SECONDS[event.attempts - 1] ?? LAST_PAUSE_SECONDS;
  await pool.query(
    `update simulator.event set next_at =
       case when created_at > clock_timestamp() - interval '3 days'
         then clock_timestamp() + $2 * interval '1 second' end
     where id = $1 and delivered_at is null`,
    [event.id, pause],
  );
}
