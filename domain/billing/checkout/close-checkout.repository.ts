// Closes checkouts with their account or product. A checkout ends here at once, the workflow of the
// purchase ends the session at the processor, and money that comes all the same is refunded.
import { purchaseActor } from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';

const CLOSE = `update checkout c set status = 'abandoned' from purchase p
  where p.checkout_id = c.id and c.status = 'open'`;

type Closed = { purchaseId: string };

/** Call it under the person's lock, which a checkout that is being opened shares. */
export async function closeCheckoutsOf(em: EntityManager, personId: string): Promise<void> {
  const sql = `${CLOSE} and c.person_id = ? returning p.id as "purchaseId"`;
  await tell(em, await rows<Closed>(em, sql, [personId]));
}

const BATCH = 100;

/** Closes one batch of checkouts of removed products and returns their number. */
export async function closeCheckoutsOfRemoved(em: EntityManager): Promise<number> {
  const closed = await rows<Closed>(
    em,
    `${CLOSE} and c.id in (
       select o.id from product r join checkout o on o.product_id = r.id
       where r.state = 'removed' and o.status = 'open'
       order by o.id limit ${BATCH} for update of o skip locked)
     returning p.id as "purchaseId"`,
  );
  await tell(em, closed);
  return closed.length;
}

async function tell(em: EntityManager, closed: Closed[]): Promise<void> {
  for (const { purchaseId } of closed) {
    await sendToActor(em, purchaseActor(purchaseId), { kind: 'close' });
  }
}
