import type pg from 'pg';
import { findSession } from './checkout.store.ts';
import { transaction } from './database.ts';
import { recordEvent } from './event.store.ts';
import { settleRefunds } from './refund.store.ts';

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

/** What only the passing of time brings about: sessions run out, late payments clear or fail. */
export async function settleDue(pool: pg.Pool): Promise<void> {
  const over = await pool.query<{ id: string }>(
    `select id from simulator.checkout_session
     where status = 'open' and expires_at <= simulator.now() order by expires_at limit 100`,
  );
  for (const { id } of over.rows) await expireSession(pool, id);
  const late = await pool.query<{ session_id: string }>(
    `select session_id from simulator.payment_intent
     where status = 'processing' and clears_at <= simulator.now() order by clears_at limit 100`,
  );
  for (const { session_id: id } of late.rows) await settleLatePayment(pool, id);
  await settleRefunds(pool);
}

function settleLatePayment(pool: pg.Pool, sessionId: string): Promise<void> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ status: string }>(
      `update simulator.payment_intent set clears_at = null,
         status = case when fails_late then 'requires_payment_method' else 'succeeded' end,
         error_code = case when fails_late then 'card_declined' end
       where session_id = $1 and status = 'processing' returning status`,
      [sessionId],
    );
    const settled = rows[0];
    if (!settled) return;
    const isPaid = settled.status === 'succeeded';
    if (isPaid) {
      await client.query(
        `update simulator.checkout_session set payment_status = 'paid' where id = $1`,
        [sessionId],
      );
    }
    const session = (await findSession(client, sessionId))!;
    const outcome = isPaid ? 'async_payment_succeeded' : 'async_payment_failed';
    await recordEvent(client, session, `checkout.session.${outcome}`);
  });
}
