// Withdraws the access of a deleted person and of a removed product.
import { expressionBuilder } from 'kysely';
import type { Database, EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';
import { lockAccess, storeAccess, type AccessKey } from './entitlement.repository.ts';

const BATCH = 100;

/** A grant gives access now or later. */
function isLiveGrant() {
  const { and, eb, or } = expressionBuilder<Tables, 'accessGrant'>();
  return and([
    eb('accessGrant.withdrawnAt', 'is', null),
    or([eb('accessGrant.endsAt', 'is', null), eb('accessGrant.endsAt', '>', NOW)]),
  ]);
}

/** An entitlement has a live grant. */
function hasLiveGrant() {
  const { exists, selectFrom } = expressionBuilder<Tables, 'entitlement'>();
  const live = selectFrom('accessGrant')
    .select('accessGrant.id')
    .whereRef('accessGrant.productId', '=', 'entitlement.productId')
    .whereRef('accessGrant.personId', '=', 'entitlement.personId')
    .where(isLiveGrant());
  return exists(live);
}

/** An entitlement gives access, or its product has not been notified of the end. */
function hasAccess() {
  const { eb, or } = expressionBuilder<Tables, 'entitlement'>();
  return or([eb('entitlement.announcedActive', '=', true), hasLiveGrant()]);
}

/** Withdraws all access of a person, product by product in the order of their ids. */
export async function withdrawAllAccess(em: EntityManager, personId: string): Promise<void> {
  for (;;) {
    const products = await kysely(em)
      .selectFrom('entitlement')
      .select('productId')
      .where('personId', '=', personId)
      .where(hasLiveGrant())
      .orderBy('productId')
      .limit(BATCH)
      .execute();
    for (const { productId } of products) await withdraw(em, { productId, personId });
    if (products.length < BATCH) return;
  }
}

/** Withdraws every grant of one person to one product. */
async function withdraw(em: EntityManager, key: AccessKey): Promise<void> {
  const access = await lockAccess(em, key);
  await kysely(em)
    .updateTable('accessGrant')
    .set({ withdrawnAt: NOW })
    .where('productId', '=', key.productId)
    .where('personId', '=', key.personId)
    .where(isLiveGrant())
    .execute();
  await storeAccess(em, access, { reason: 'withdrawn' });
}

/**
 * Withdraws the access of one batch of people to removed products, in the order in which locks are
 * taken; returns their number. Once nobody is left, the products are settled.
 */
export async function withdrawRemoved(database: Database): Promise<number> {
  return database.transaction(async (em) => {
    const left = await kysely(em)
      .selectFrom('product')
      .innerJoin('entitlement', 'entitlement.productId', 'product.id')
      .select(['entitlement.productId', 'entitlement.personId'])
      .where('product.state', '=', 'removed')
      .where('product.settledAt', 'is', null)
      .where(hasAccess())
      .orderBy('entitlement.productId')
      .orderBy('entitlement.personId')
      .limit(BATCH)
      .execute();
    for (const key of left) await withdraw(em, key);
    if (left.length === 0) await markWithdrawn(em);
    return left.length;
  });
}

async function markWithdrawn(em: EntityManager): Promise<void> {
  await kysely(em)
    .updateTable('product')
    .set({ settledAt: NOW })
    .where('state', '=', 'removed')
    .where('settledAt', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('entitlement')
            .select('entitlement.id')
            .whereRef('entitlement.productId', '=', 'product.id')
            .where(hasAccess()),
        ),
      ),
    )
    .execute();
}

/** Deliveries finish their retry schedule before their endpoint is closed. */
export async function closeRemovedEndpoints(em: EntityManager): Promise<void> {
  await kysely(em)
    .updateTable('webhookEndpoint as endpoint')
    .from('product')
    .set({ deletedAt: NOW })
    .whereRef('endpoint.productId', '=', 'product.id')
    .where('endpoint.deletedAt', 'is', null)
    .where('product.state', '=', 'removed')
    .where('product.settledAt', 'is not', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveryState as delivery')
            .select('delivery.deliveryId')
            .whereRef('delivery.endpointId', '=', 'endpoint.id')
            .where('delivery.status', 'in', ['pending', 'retrying']),
        ),
      ),
    )
    .execute();
}
