import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

const MOST_RETIRED = 50;

/**
 * Lists a product's prices: current ones, default offer and base price first, then the last retired
 * ones. Nothing is sold in a currency that is not enabled.
 */
export async function listPriceVersions(em: EntityManager, productId: string) {
  const active = await versionsOf(em, productId)
    .where('price.retiredAt', 'is', null)
    .orderBy('offer.isDefault', 'desc')
    .orderBy('offer.createdAt')
    .orderBy('offer.id')
    .orderBy('price.isBase', 'desc')
    .orderBy('price.currency')
    .execute();
  const retired = await versionsOf(em, productId)
    .where('price.retiredAt', 'is not', null)
    .orderBy('price.retiredAt', 'desc')
    .orderBy('price.id', 'desc')
    .limit(MOST_RETIRED)
    .execute();
  return { active, retired };
}

export type PriceVersion = Awaited<ReturnType<typeof listPriceVersions>>['active'][number];

const versionsOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('price')
    .innerJoin('offer', 'offer.id', 'price.offerId')
    .leftJoin('enabledCurrency as enabled', 'enabled.currency', 'price.currency')
    .select([
      'price.id as priceId',
      'offer.id as offerId',
      'offer.kind',
      'offer.isDefault as isDefaultOffer',
    ])
    .select(['price.currency', 'price.amountMinor', 'price.isBase'])
    .select(['price.createdAt', 'price.retiredAt'])
    .select(({ eb }) => eb('enabled.currency', 'is not', null).$castTo<boolean>().as('isEnabled'))
    .where('offer.productId', '=', productId)
    .where('offer.retiredAt', 'is', null);

/** True when the default offer has a price in an enabled currency. */
export async function hasSoldPrice(em: EntityManager, productId: string): Promise<boolean> {
  return (await findSoldCurrency(em, productId)) !== null;
}

/** An enabled currency in which the default offer is sold, its base price's first; null without any. */
export async function findSoldCurrency(
  em: EntityManager,
  productId: string,
): Promise<string | null> {
  const sold = await kysely(em)
    .selectFrom('price')
    .innerJoin('offer', 'offer.id', 'price.offerId')
    .innerJoin('enabledCurrency as enabled', 'enabled.currency', 'price.currency')
    .select('price.currency')
    .where('offer.productId', '=', productId)
    .where('offer.isDefault', '=', true)
    .where('offer.retiredAt', 'is', null)
    .where('price.retiredAt', 'is', null)
    .orderBy('price.isBase', 'desc')
    .orderBy('price.currency')
    .limit(1)
    .executeTakeFirst();
  return sold?.currency ?? null;
}
