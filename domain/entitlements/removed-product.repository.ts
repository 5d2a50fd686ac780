// Settles a removed product: first its access, then its endpoints.
import type { Database } from '../../platform/database/database.ts';
import { rows, type EntityManager } from '../../platform/database/database.ts';
import type { AccessKey } from './entitlement.repository.ts';
import { LIVE, withdraw } from './withdrawal.repository.ts';

const BATCH = 100;

const HAS_ACCESS = `(e.announced_active or exists (select from access_grant g
  where g.product_id = e.product_id and g.person_id = e.person_id and ${LIVE}))`;

/**
 * Withdraws the access of one batch of people, in the order in which locks are taken; returns their
 * number.
 */
export async function withdrawRemoved(database: Database): Promise<number> {
  return database.transaction(async (em) => {
    const left = await rows<AccessKey>(
      em,
      `select e.product_id as "productId", e.person_id as "personId"
       from product p join entitlement e on e.product_id = p.id
       where p.state = 'removed' and p.settled_at is null and ${HAS_ACCESS}
       order by e.product_id, e.person_id limit ${BATCH}`,
    );
    for (const key of left) await withdraw(em, key);
    if (left.length === 0) await markSettled(em);
    return left.length;
  });
}

async function markSettled(em: EntityManager): Promise<void> {
  await rows(
    em,
    `update product p set settled_at = gatehouse_now()
     where p.state = 'removed' and p.settled_at is null
       and not exists (select from entitlement e where e.product_id = p.id and ${HAS_ACCESS})`,
  );
}

/** Deliveries finish their retry schedule before their endpoint is closed. */
export async function closeRemovedEndpoints(em: EntityManager): Promise<number> {
  const closed = await rows(
    em,
    `update webhook_endpoint e set deleted_at = gatehouse_now()
     from product p
     where p.state = 'removed' and p.settled_at is not null and e.product_id = p.id
       and e.deleted_at is null and not exists (select from delivery_state d
         where d.endpoint_id = e.id and d.status in ('pending', 'retrying'))
     returning 1`,
  );
  return closed.length;
}
