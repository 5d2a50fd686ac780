import type pg from 'pg';
import { findSession } from './records/checkout.repository.ts';
import { transaction, type Transaction } from './database.ts';
import { recordEvent } from './records/event.repository.ts';
import { settleLateInvoice } from './billing/first-payment.ts';
import { settleSubscriptions } from './billing/renewal.ts';
import { lockSubscription } from './billing/subscription.repository.ts';
import { settleRefunds } from './records/refund.repository.ts';

/** False when the session was not open. */
export function expireSession(pool: pg.Pool, id: string): Promise<boolean> {
  return transaction(pool, async (client) => {
    const expired = await client.query(
      `update simulator.checkout_session set status = 'expired' where id = $1 and status = 'open'`,
      [id],
    );
    if (expired.rowCount === 0) return false;
    await client.query(
      `update simulator.payment_intent set status = 'canceled' where session_id = $1`,
      [id],
    );
    await recordEvent(client, (await findSession(client, id))!, 'checkout.session.expired');
    return true;
  });
}

/**
 * What only the passing of time brings about: sessions run out, late payments clear or fail,
 * subscriptions renew. True while there may be more of it.
 */
export async function settleDue(pool: pg.Pool): Promise<boolean> {
  const over = await pool.query<{ id: string }>(
    `select id from simulator.checkout_session
     where status = 'open' and expires_at <= simulator.now() order by expires_at limit 100`,
  );
  for (const { id } of over.rows) await expireSession(pool, id);
  const late = await pool.query<{ id: string }>(
    `select id from simulator.payment_intent
     where status = 'processing' and clears_at <= simulator.now() order by clears_at limit 100`,
  );
  for (const { id } of late.rows) await settleLatePayment(pool, id);
  await settleRefunds(pool);
  return settleSubscriptions(pool);
}

type Settled = {
  session_id: string;
  status: 'succeeded' | 'requires_payment_method';
  is_renewal: boolean;
  at: Date;
};

function settleLatePayment(pool: pg.Pool, intentId: string): Promise<void> {
  return transaction(pool, async (client) => {
    const bill = await lockBill(client, intentId);
    const { rows } = await client.query<Settled>(
      `update simulator.payment_intent set clears_at = null,
         status = case when fails_late then 'requires_payment_method' else 'succeeded' end,
         error_code = case when fails_late then 'card_declined' end
       where id = $1 and status = 'processing'
       returning session_id, status, is_renewal, old.clears_at as at`,
      [intentId],
    );
    const settled = rows[0];
    if (!settled) return;
    const { at, status } = settled;
    if (!settled.is_renewal) await settleSession(client, settled);
    if (bill) await settleLateInvoice(client, { ...bill, at, isPaid: status === 'succeeded' });
  });
}

/** Subscriptions are locked before their payments, by everybody. */
async function lockBill(client: Transaction, intentId: string) {
  const { rows } = await client.query<{ id: string; invoiceId: string }>(
    `select i.subscription_id as id, i.id as "invoiceId"
     from simulator.payment_intent p join simulator.invoice i on i.id = p.invoice_id
     where p.id = $1`,
    [intentId],
  );
  if (rows[0]) await lockSubscription(client, rows[0].id);
  return rows[0];
}

async function settleSession(client: Transaction, { session_id: id, status }: Settled) {
  const isPaid = status === 'succeeded';
  if (isPaid) {
    await client.query(
      `update simulator.checkout_session set payment_status = 'paid' where id = $1`,
      [id],
    );
  }
  const outcome = isPaid ? 'async_payment_succeeded' : 'async_payment_failed';
  await recordEvent(client, (await findSession(client, id))!, `checkout.session.${outcome}`);
}
