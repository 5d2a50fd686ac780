import type pg from 'pg';
import { newSecret } from '../../domain/platform/ids.ts';
import type { CardOutcome } from './page/cards.ts';
import { transaction, type Transaction } from './database.ts';
import { recordEvent } from './event.store.ts';
import type { SessionParameters } from './api/parameters.ts';
import type { EventType, SessionRow } from './stripe-objects.ts';

type Queryable = pg.Pool | Transaction;

const SESSIONS = `
  select s.*, s.expires_at <= gatehouse_now() as is_over, gatehouse_now() as read_at,
    to_jsonb(i) as intent
  from simulator.checkout_session s
  left join simulator.payment_intent i on i.session_id = s.id`;

type Attempt = {
  status: 'open' | 'complete';
  paymentStatus: 'unpaid' | 'paid';
  intent: 'succeeded' | 'processing' | 'requires_payment_method';
  event: EventType;
};

const CLEARING: Attempt = {
  status: 'complete',
  paymentStatus: 'unpaid',
  intent: 'processing',
  event: 'checkout.session.completed',
};

const ATTEMPTS: Record<CardOutcome, Attempt> = {
  succeeds: { ...CLEARING, paymentStatus: 'paid', intent: 'succeeded' },
  declined: {
    status: 'open',
    paymentStatus: 'unpaid',
    intent: 'requires_payment_method',
    event: 'payment_intent.payment_failed',
  },
  clears_late: CLEARING,
  fails_late: CLEARING,
};

export async function findSession(db: Queryable, id: string): Promise<SessionRow | undefined> {
  return (await db.query<SessionRow>(`${SESSIONS} where s.id = $1`, [id])).rows[0];
}

export async function findSessionOfIntent(db: Queryable, intentId: string) {
  return (await db.query<SessionRow>(`${SESSIONS} where i.id = $1`, [intentId])).rows[0];
}

export async function insertSession(
  client: Transaction,
  given: SessionParameters,
): Promise<SessionRow> {
  const id = `cs_test_${newSecret()}`;
  const price = given.line_items[0].price_data;
  const intent = given.payment_intent_data;
  await client.query(
    `insert into simulator.checkout_session (id, amount, currency, product_name, customer_email,
       metadata, intent_metadata, destination, application_fee, success_url, cancel_url, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, gatehouse_now() + interval '24 hours')`,
    [
      id,
      price.unit_amount,
      price.currency,
      price.product_data.name,
      given.customer_email ?? null,
      given.metadata,
      intent.metadata,
      intent.transfer_data?.destination ?? null,
      intent.application_fee_amount ?? null,
      given.success_url,
      given.cancel_url,
    ],
  );
  return (await findSession(client, id))!;
}

/** False when the session no longer takes a payment: of many attempts at once, one gets through. */
export function attemptPayment(
  pool: pg.Pool,
  { sessionId, outcome }: { sessionId: string; outcome: CardOutcome },
): Promise<boolean> {
  const attempt = ATTEMPTS[outcome];
  return transaction(pool, async (client) => {
    const taken = await client.query(
      `update simulator.checkout_session set status = $2, payment_status = $3
       where id = $1 and status = 'open' and expires_at > gatehouse_now()`,
      [sessionId, attempt.status, attempt.paymentStatus],
    );
    if (taken.rowCount === 0) return false;
    await writeIntent(client, { sessionId, outcome, attempt });
    await recordEvent(client, (await findSession(client, sessionId))!, attempt.event);
    return true;
  });
}

async function writeIntent(
  client: Transaction,
  given: { sessionId: string; outcome: CardOutcome; attempt: Attempt },
): Promise<void> {
  await client.query(
    `insert into simulator.payment_intent (id, session_id, status, error_code, fails_late, clears_at)
     values ($1, $2, $3, $4, $5,
       case when $3 = 'processing' then gatehouse_now() + interval '3 days' end)
     on conflict (session_id) do update set status = excluded.status,
       error_code = excluded.error_code, fails_late = excluded.fails_late,
       clears_at = excluded.clears_at`,
    [
      newId('pi_'),
      given.sessionId,
      given.attempt.intent,
      given.outcome === 'declined' ? 'card_declined' : null,
      given.outcome === 'fails_late',
    ],
  );
}

function newId(prefix: 'pi_'): string {
  return prefix + newSecret().slice(0, 24);
}
