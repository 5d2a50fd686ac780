import { newSecret } from '../../../domain/shared/ids.ts';
import type { InvoiceListParameters } from '../api/parameters.ts';
import type { Queryable, Transaction } from '../database.ts';
import { recordObject } from '../records/event.repository.ts';
import { presentInvoice, type InvoiceRow } from './billing-objects.ts';

const INVOICES = `
  select i.*, s.customer_id, c.amount, c.currency, c.product_name, c.customer_email,
    c.intent_metadata as subscription_metadata, to_jsonb(p) as intent,
    simulator.period_at(s.started_at, c.recurring_interval, i.period) as period_start,
    simulator.period_at(s.started_at, c.recurring_interval, i.period + 1) as period_end,
    simulator.period_at(s.started_at, c.recurring_interval, greatest(i.period - 1, 0))
      as looks_back_to
  from simulator.invoice i
  join simulator.subscription s on s.id = i.subscription_id
  join simulator.checkout_session c on c.id = s.session_id
  left join simulator.payment_intent p on p.invoice_id = i.id`;

export async function findInvoice(db: Queryable, id: string): Promise<InvoiceRow | undefined> {
  return (await db.query<InvoiceRow>(`${INVOICES} where i.id = $1`, [id])).rows[0];
}

/** The newest first, or those before one of them; one more than asked for where there are more. */
export async function listInvoices(
  db: Queryable,
  asked: InvoiceListParameters,
): Promise<InvoiceRow[]> {
  const { rows } = await db.query<InvoiceRow>(
    `${INVOICES} where i.subscription_id = $1 and ($2::text is null
       or i.period < (select period from simulator.invoice where id = $2))
     order by i.period desc limit $3`,
    [asked.subscription, asked.starting_after ?? null, asked.limit + 1],
  );
  return rows;
}

/** The one that has to be paid, unless its payment is under way. */
export async function findOpenInvoice(client: Transaction, subscriptionId: string) {
  const { rows } = await client.query<InvoiceRow>(
    `${INVOICES} where i.subscription_id = $1 and i.status = 'open'
       and p.status is distinct from 'processing' order by i.period limit 1`,
    [subscriptionId],
  );
  return rows[0];
}

export async function findDueInvoice(client: Transaction, subscriptionId: string) {
  const { rows } = await client.query<InvoiceRow>(
    `${INVOICES} where i.subscription_id = $1 and i.next_attempt_at <= simulator.now()
     order by i.period limit 1`,
    [subscriptionId],
  );
  return rows[0];
}

type NewInvoice = { subscriptionId: string; period: number; at: Date };

export async function insertInvoice(
  client: Transaction,
  { subscriptionId, period, at }: NewInvoice,
): Promise<InvoiceRow> {
  const id = `in_${newSecret().slice(0, 24)}`;
  await client.query(
    `insert into simulator.invoice (id, subscription_id, period, created_at)
     values ($1, $2, $3, $4)`,
    [id, subscriptionId, period, at],
  );
  return (await findInvoice(client, id))!;
}

/**
 * Plans no next attempt once the invoice was tried for the last time, was paid, or while its
 * payment is under way. An attempt that is not of the schedule is not counted, as with Stripe.
 */
export async function noteAttempt(
  client: Transaction,
  {
    id,
    nextAttemptAt,
    isPlanned = true,
  }: { id: string; nextAttemptAt: Date | null; isPlanned?: boolean },
): Promise<void> {
  await client.query(
    'update simulator.invoice set attempts = attempts + $3::int, next_attempt_at = $2 where id = $1',
    [id, nextAttemptAt, Number(isPlanned)],
  );
}

export async function markPaid(
  client: Transaction,
  { id, at }: { id: string; at: Date },
): Promise<void> {
  await client.query(
    `update simulator.invoice set status = 'paid', paid_at = $2, next_attempt_at = null
     where id = $1`,
    [id, at],
  );
  await tellInvoice(client, { id, what: 'paid', at });
}

type Notice = { id: string; what: 'paid' | 'payment_failed'; at: Date };

export async function tellInvoice(client: Transaction, { id, what, at }: Notice): Promise<void> {
  const object = presentInvoice((await findInvoice(client, id))!);
  await recordObject(client, { type: `invoice.${what}`, at, object });
}
