// A transferred product takes the payouts of its running subscriptions along.
import { subscriptionActor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActors } from '../../outbox/outbox.repository.ts';

/** A renewal needs a payout account. */
export async function hasWhereToPay(
  em: EntityManager,
  { productId, toTeamId }: { productId: string; toTeamId: string },
): Promise<boolean> {
  const missing = await rows(
    em,
    `select 1 from subscription s where s.product_id = ? and s.status <> 'ended'
       and s.began_at is not null
       and not exists (select from payout_account a where a.team_id = ? and a.can_charge) limit 1`,
    [productId, toTeamId],
  );
  return missing.length === 0;
}

/**
 * Belongs in the transaction of the transfer. A subscription that begins meanwhile holds the
 * product's row: it is seen here, or sees the new owner.
 */
export async function tellOfNewSeller(em: EntityManager, productId: string): Promise<void> {
  const running = await rows<{ id: string }>(
    em,
    `select id from subscription where product_id = ? and status <> 'ended' order by id`,
    [productId],
  );
  const actors = running.map(({ id }) => subscriptionActor(id));
  await sendToActors(em, actors, { kind: 'new_seller' });
}
