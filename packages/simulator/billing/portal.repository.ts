import type pg from 'pg';
import { newSecret } from '../../../domain/shared/ids.ts';
import { transaction, type Queryable, type Transaction } from '../database.ts';
import type { CardOutcome } from '../page/cards.ts';
import type { PortalSessionRow } from './billing-objects.ts';
import { lockUpToDate, tryOpenInvoice } from './renewal.ts';
import { keepCard, tellSubscription } from './subscription.repository.ts';

const LIVES_MINUTES = 60;

export async function insertPortalSession(
  client: Transaction,
  given: { customer: string; return_url: string },
): Promise<PortalSessionRow> {
  const token = newSecret();
  await client.query(
    `insert into simulator.portal_session (token, customer_id, return_url, created_at, expires_at)
     select $1, $2, $3, t.at, t.at + $4 * interval '1 minute' from (select simulator.now() as at) t`,
    [token, given.customer, given.return_url, LIVES_MINUTES],
  );
  return (await findPortalSession(client, token))!;
}

export async function findPortalSession(
  db: Queryable,
  token: string,
): Promise<PortalSessionRow | undefined> {
  const { rows } = await db.query<PortalSessionRow>(
    `select *, expires_at <= simulator.now() as is_over from simulator.portal_session
     where token = $1`,
    [token],
  );
  return rows[0];
}

/** `unpaid`: the card is kept, and has refused the invoice that was open. */
export type CardChange = 'kept' | 'declined' | 'unpaid' | 'over';

/** Charges the subscription to this card from now on; what is open is tried at once. */
export function changeCard(
  pool: pg.Pool,
  { id, card }: { id: string; card: CardOutcome },
): Promise<CardChange> {
  return transaction(pool, async (client) => {
    const subscription = await lockUpToDate(client, id);
    if (!subscription || subscription.status === 'canceled') return 'over';
    if (card === 'declined') return 'declined';
    await keepCard(client, { id, card });
    const isPaid = await tryOpenInvoice(client, { ...subscription, card });
    await tellSubscription(client, { id, what: 'updated', at: subscription.read_at });
    return isPaid ? 'kept' : 'unpaid';
  });
}
