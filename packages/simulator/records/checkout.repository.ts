import type pg from 'pg';
import { newSecret } from '../../../domain/shared/ids.ts';
import { platformCutMinor } from '../../../domain/shared/money.ts';
import { REFUNDS, type CardOutcome } from '../page/cards.ts';
import { beginSubscription, tellBeginning } from '../billing/first-payment.ts';
import { transaction, type Queryable, type Transaction } from '../database.ts';
import { openDispute, type DisputeStatus } from './dispute.repository.ts';
import { recordEvent, type EventType } from './event.repository.ts';
import type { SessionParameters } from '../api/parameters.ts';
import type { SessionRow } from '../stripe-objects.ts';

const SESSIONS = `
  select s.*, s.expires_at <= simulator.now() as is_over, simulator.now() as read_at,
    to_jsonb(i) as intent, b.id as subscription_id, b.customer_id,
    (select id from simulator.invoice where subscription_id = b.id and period = 0) as invoice_id
  from simulator.checkout_session s
  left join simulator.subscription b on b.session_id = s.id
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

const PAID: Attempt = {
  status: 'complete',
  paymentStatus: 'paid',
  intent: 'succeeded',
  event: 'checkout.session.completed',
};

const CLEARING: Attempt = { ...PAID, paymentStatus: 'unpaid', intent: 'processing' };

const ATTEMPTS: Record<CardOutcome, Attempt> = {
  succeeds: PAID,
  disputed: PAID,
  inquired: PAID,
  refunds_late: PAID,
  refund_fails_late: PAID,
  renewals_recover: PAID,
  renewals_fail: PAID,
  renewals_refused: PAID,
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
  const sql = `${SESSIONS} and not i.is_renewal where s.id = $1`;
  return (await db.query<SessionRow>(sql, [id])).rows[0];
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
  const share = shareOf(given);
  await client.query(
    `insert into simulator.checkout_session (id, amount, currency, product_name, customer_email,
       metadata, intent_metadata, destination, application_fee, success_url, cancel_url,
       recurring_interval, application_fee_percent, client_reference_id, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
       simulator.now() + interval '24 hours')`,
    [
      id,
      price.unit_amount,
      price.currency,
      price.product_data.name,
      given.customer_email ?? null,
      given.metadata,
      share.metadata,
      share.destination,
      share.fee,
      given.success_url,
      given.cancel_url,
      price.recurring?.interval ?? null,
      share.percent,
      given.client_reference_id ?? null,
    ],
  );
  return (await findSession(client, id))!;
}

/** What the money is for, where it goes, and what the platform keeps of each charge. */
function shareOf({
  payment_intent_data: one,
  subscription_data: many,
  ...given
}: SessionParameters) {
  const { unit_amount: amount } = given.line_items[0].price_data;
  const percent = many?.application_fee_percent;
  const basisPoints = percent === undefined ? null : Math.round(Number(percent) * 100);
  const share = basisPoints === null ? null : platformCutMinor(amount, basisPoints);
  return {
    metadata: (one ?? many)?.metadata ?? {},
    destination: (one ?? many)?.transfer_data?.destination ?? null,
    fee: one?.application_fee_amount ?? share,
    percent: percent ?? null,
  };
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
    await recordAttempt(client, { session, attempt, outcome });
    const status = DISPUTED[outcome];
    if (status) await openDispute(client, { session, status });
    return true;
  });
}

/** A subscription begins with its session's completion; before it, Stripe names nobody's payment. */
async function recordAttempt(
  client: Transaction,
  given: { session: SessionRow; attempt: Attempt; outcome: CardOutcome },
): Promise<void> {
  const { session, attempt, outcome } = given;
  if (session.recurring_interval === null) return recordEvent(client, session, attempt.event);
  if (attempt.status === 'open') return;
  const sessionId = session.id;
  const begun = await beginSubscription(client, { sessionId, card: outcome });
  await recordEvent(client, (await findSession(client, sessionId))!, attempt.event);
  await tellBeginning(client, { ...begun, isPaid: attempt.paymentStatus === 'paid' });
}

async function writeIntent(
  client: Transaction,
  given: PaymentAttempt & { attempt: Attempt; errorCode: string | null },
): Promise<void> {
  await client.query(
    `insert into simulator.payment_intent
       (id, session_id, status, error_code, fails_late, refunds, clears_at)
     values ($1, $2, $3, $4, $5, $6,
       case when $3 = 'processing' then simulator.now() + interval '3 days' end)
     on conflict (session_id) where not is_renewal do update set status = excluded.status,
       error_code = excluded.error_code, fails_late = excluded.fails_late,
       refunds = excluded.refunds, clears_at = excluded.clears_at`,
    [
      `pi_${newSecret().slice(0, 24)}`,
      given.sessionId,
      given.attempt.intent,
      given.errorCode,
      given.outcome === 'fails_late',
      REFUNDS[given.outcome] ?? 'succeed',
    ],
  );
}
