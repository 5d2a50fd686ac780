import type pg from 'pg';
import { newSecret } from '../../domain/platform/ids.ts';
import type { CardOutcome } from './page/cards.ts';
import { transaction, type Transaction } from './database.ts';
import { openDispute, type DisputeStatus } from './dispute.store.ts';
import { recordEvent } from './event.store.ts';
import type { SessionParameters } from './api/parameters.ts';
import type { EventType, SessionRow } from './stripe-objects.ts';

type Queryable = pg.Pool | Transaction;

const SESSIONS = `
  select s.*, s.expires_at <= simulator.now() as is_over, simulator.now() as read_at,
    to_jsonb(i) as intent
  from simulator.checkout_session s
  left join simulator.payment_intent i on i.session_id = s.id`;

export type PaymentAttempt = {
  sessionId: string;
  outcome: CardOutcome;
  /** The bank's answer about a card that needed one. */
  isAuthenticating?: boolean;
};

type Attempt = {
  status: 'open' | 'complete';
  paymentStatus: 'unpaid' | 'paid';
  intent: 'succeeded' | 'processing' | 'requires_payment_method' | 'requires_action';
  event: EventType;
};

const CLEARING: Attempt = {
  status: 'complete',
  paymentStatus: 'unpaid',
  intent: 'processing',
  event: 'checkout.session.completed',
};

const PAID: Attempt = { ...CLEARING, paymentStatus: 'paid', intent: 'succeeded' };

const ATTEMPTS: Record<CardOutcome, Attempt> = {
  succeeds: PAID,
  disputed: PAID,
  inquired: PAID,
  refunds_late: PAID,
  refund_fails_late: PAID,
  needs_authentication: {
    status: 'open',
    paymentStatus: 'unpaid',
    intent: 'requires_action',
    event: 'payment_intent.requires_action',
  },
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
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, simulator.now() + interval '24 hours')`,
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

/** What the bank says right after it has paid. */
const DISPUTED: Partial<Record<CardOutcome, DisputeStatus>> = {
  disputed: 'needs_response',
  inquired: 'warning_needs_response',
};

/** False when the session no longer takes a payment: of many attempts at once, one gets through. */
export function attemptPayment(
  pool: pg.Pool,
  { sessionId, outcome, isAuthenticating = false }: PaymentAttempt,
): Promise<boolean> {
  const attempt = ATTEMPTS[outcome];
  return transaction(pool, async (client) => {
    const taken = await client.query(
      `update simulator.checkout_session set status = $2, payment_status = $3
       where id = $1 and status = 'open' and expires_at > simulator.now()
         and (not $4 or exists (select from simulator.payment_intent
           where session_id = $1 and status = 'requires_action'))`,
      [sessionId, attempt.status, attempt.paymentStatus, isAuthenticating],
    );
    if (taken.rowCount === 0) return false;
    const refusal = isAuthenticating ? 'payment_intent_authentication_failure' : 'card_declined';
    const errorCode = outcome === 'declined' ? refusal : null;
    await writeIntent(client, { sessionId, outcome, attempt, errorCode });
    const session = (await findSession(client, sessionId))!;
    await recordEvent(client, session, attempt.event);
    const status = DISPUTED[outcome];
    if (status) await openDispute(client, { session, status });
    return true;
  });
}

/** How refunds go of what was paid by a card, where they do not just succeed. */
const REFUNDS: Partial<Record<CardOutcome, string>> = {
  refunds_late: 'succeed_late',
  refund_fails_late: 'fail_late',
};

async function writeIntent(
  client: Transaction,
  given: PaymentAttempt & { attempt: Attempt; errorCode: string | null },
): Promise<void> {
  await client.query(
    `insert into simulator.payment_intent
       (id, session_id, status, error_code, fails_late, refunds, clears_at)
     values ($1, $2, $3, $4, $5, $6,
       case when $3 = 'processing' then simulator.now() + interval '3 days' end)
     on conflict (session_id) do update set status = excluded.status,
       error_code = excluded.error_code, fails_late = excluded.fails_late,
       refunds = excluded.refunds, clears_at = excluded.clears_at`,
    [
      newId('pi_'),
      given.sessionId,
      given.attempt.intent,
      given.errorCode,
      given.outcome === 'fails_late',
      REFUNDS[given.outcome] ?? 'succeed',
    ],
  );
}

function newId(prefix: 'pi_'): string {
  return prefix + newSecret().slice(0, 24);
}
