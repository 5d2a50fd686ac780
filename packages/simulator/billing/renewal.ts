import type pg from 'pg';
import { newSecret } from '../../../domain/shared/ids.ts';
import { transaction, type Transaction } from '../database.ts';
import { REFUNDS, type CardOutcome } from '../page/cards.ts';
import type { InvoiceRow, SubscriptionRow } from './billing-objects.ts';
import {
  findDueInvoice,
  findOpenInvoice,
  insertInvoice,
  markPaid,
  noteAttempt,
  tellInvoice,
} from './invoice.repository.ts';
import { decideRenewal, decideRetryAt, type RenewalOutcome } from './renewal-outcome.ts';
import {
  beginNextPeriod,
  endSubscription,
  lockSubscription,
  markSubscription,
  tellSubscription,
} from './subscription.repository.ts';

// Between two batches events are sent: a thousand renewals at once hold nothing up.
const BATCH = 100;
// Of the ten connections, so that pages go on being shown.
const LANES = 4;

const DUE = `
  select id from (
    select id, period_end as due_at from simulator.subscription
    where status <> 'canceled' and period_end <= simulator.now()
    union all
    select subscription_id, next_attempt_at from simulator.invoice
    where next_attempt_at <= simulator.now()) due
  order by due_at limit $1`;

/** One step of each that is due; false when there was nothing to do. */
export async function settleSubscriptions(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ id: string }>(DUE, [BATCH]);
  let moved = false;
  const lane = async () => {
    for (let due = rows.shift(); due; due = rows.shift()) {
      const { id } = due;
      moved = (await transaction(pool, (client) => takeStep(client, id))) || moved;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return moved;
}

/** Commits by itself: what the clock has brought stays, whatever is refused after it. */
export function catchUp(pool: pg.Pool, id: string): Promise<unknown> {
  return transaction(pool, (client) => lockUpToDate(client, id));
}

/** Locked, and with all behind it that its clock has already brought. */
export async function lockUpToDate(client: Transaction, id: string) {
  while (await takeStep(client, id));
  return lockSubscription(client, id);
}

/** Things happen at the instant at which they were due, however late the clock is looked at. */
async function takeStep(client: Transaction, id: string): Promise<boolean> {
  const subscription = await lockSubscription(client, id);
  if (!subscription || subscription.status === 'canceled') return false;
  const invoice = await findDueInvoice(client, id);
  if (invoice) {
    await tryInvoice(client, { subscription, invoice, at: invoice.next_attempt_at! });
    return true;
  }
  if (!subscription.is_over) return false;
  const at = subscription.period_end;
  if (subscription.cancel_at_period_end) await endSubscription(client, { id, at });
  else await renew(client, { subscription, at });
  return true;
}

async function renew(
  client: Transaction,
  { subscription, at }: { subscription: SubscriptionRow; at: Date },
): Promise<void> {
  const { id, period } = subscription;
  await beginNextPeriod(client, id);
  const invoice = await insertInvoice(client, { subscriptionId: id, period: period + 1, at });
  await tryInvoice(client, { subscription, invoice, at });
}

type Try = { subscription: SubscriptionRow; invoice: InvoiceRow; at: Date };

async function tryInvoice(client: Transaction, given: Try): Promise<void> {
  const { subscription, invoice, at } = given;
  const { id } = subscription;
  const outcome = await charge(client, given);
  const canRetry = outcome === 'failed';
  const nextAttemptAt = canRetry ? decideRetryAt(invoice.created_at, at) : null;
  await noteAttempt(client, { id: invoice.id, nextAttemptAt });
  const isFailed = canRetry || outcome === 'refused';
  if (isFailed) await markSubscription(client, { id, status: 'past_due' });
  if (outcome === 'succeeded') await settleInvoice(client, { id, invoiceId: invoice.id, at });
  else await tellSubscription(client, { id, what: 'updated', at });
  if (!isFailed) return;
  await tellInvoice(client, { id: invoice.id, what: 'payment_failed', at });
  if (nextAttemptAt === null) await endSubscription(client, { id, at });
}

/** The invoice's own payment, the same at each attempt. */
async function charge(
  client: Transaction,
  { subscription, invoice, at }: Try,
): Promise<RenewalOutcome> {
  const card = subscription.card as CardOutcome;
  const outcome = decideRenewal(card, invoice.attempts + 1);
  await client.query(
    `insert into simulator.payment_intent (id, session_id, invoice_id, is_renewal, status,
       error_code, refunds, clears_at, created_at, destination)
     values ($1, $2, $3, true, $4, $5, $6,
       case when $4 = 'processing' then $7::timestamptz + interval '3 days' end, $7, $8)
     on conflict (invoice_id) do update set status = excluded.status,
       error_code = excluded.error_code, refunds = excluded.refunds,
       clears_at = excluded.clears_at`,
    [
      `pi_${newSecret().slice(0, 24)}`,
      subscription.session_id,
      invoice.id,
      INTENTS[outcome],
      ERRORS[outcome] ?? null,
      REFUNDS[card] ?? 'succeed',
      at,
      subscription.destination,
    ],
  );
  return outcome;
}

const INTENTS: Record<RenewalOutcome, string> = {
  succeeded: 'succeeded',
  processing: 'processing',
  failed: 'requires_payment_method',
  refused: 'requires_payment_method',
};

const ERRORS: Partial<Record<RenewalOutcome, string>> = {
  failed: 'card_declined',
  refused: 'expired_card',
};

/** Marks an invoice as paid, and its subscription as active: one that has ended stays ended. */
export async function settleInvoice(
  client: Transaction,
  { id, invoiceId, at }: { id: string; invoiceId: string; at: Date },
): Promise<void> {
  await markSubscription(client, { id, status: 'active' });
  await markPaid(client, { id: invoiceId, at });
  await tellSubscription(client, { id, what: 'updated', at });
}

/**
 * Tries at once, with a new card: false when it was refused. The tries that are planned stay
 * planned.
 */
export async function tryOpenInvoice(
  client: Transaction,
  subscription: SubscriptionRow,
): Promise<boolean> {
  const { id, read_at: at } = subscription;
  const invoice = await findOpenInvoice(client, id);
  if (!invoice) return true;
  const outcome = await charge(client, { subscription, invoice, at });
  const isTaken = outcome === 'succeeded' || outcome === 'processing';
  const nextAttemptAt = isTaken ? null : invoice.next_attempt_at;
  await noteAttempt(client, { id: invoice.id, nextAttemptAt, isPlanned: false });
  if (outcome === 'succeeded') await settleInvoice(client, { id, invoiceId: invoice.id, at });
  if (!isTaken) await tellInvoice(client, { id: invoice.id, what: 'payment_failed', at });
  return isTaken;
}
