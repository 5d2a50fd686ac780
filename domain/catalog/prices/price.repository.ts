import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/database.ts';
import { CLOCK } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { Offer, Price } from '../offer.entity.ts';
import type { OfferKind } from '../product.repository.ts';

export type OfferKey = { productId: string; kind: OfferKind };
export type ActivePrice = InferEntity<typeof Price>;
export type ActiveOffer = { id: string; isDefault: boolean; active: ActivePrice[] };

/** Finds the product's offer of a kind with its active prices. */
export async function findOffer(
  em: EntityManager,
  { productId, kind }: OfferKey,
): Promise<ActiveOffer | null> {
  const found = await em.findOne(
    Offer,
    { productId, kind, retiredAt: null },
    {
      populate: ['prices'],
      populateWhere: { prices: { retiredAt: null } },
      orderBy: { isDefault: 'desc', createdAt: 'asc', id: 'asc' },
    },
  );
  if (!found) return null;
  return { id: found.id, isDefault: found.isDefault, active: found.prices.getItems() };
}

/** Creates an offer of a product whose row is locked; the first one becomes the default offer. */
export async function createOffer(
  em: EntityManager,
  { productId, kind }: OfferKey,
): Promise<{ id: string }> {
  const defaults = await em.count(Offer, { productId, isDefault: true, retiredAt: null });
  return em.create(Offer, { id: newUuid(), productId, kind, isDefault: defaults === 0 });
}

/** Disabling the currency waits until the price is written. */
export async function holdCurrency(em: EntityManager, currency: string): Promise<boolean> {
  const held = await kysely(em)
    .selectFrom('enabledCurrency')
    .select('currency')
    .where('currency', '=', currency)
    .forKeyShare()
    .executeTakeFirst();
  return held !== undefined;
}

/** Retires the prices at once: a currency has one active price, and an offer one base price. */
export async function retirePrices(
  em: EntityManager,
  prices: readonly ActivePrice[],
): Promise<void> {
  for (const price of prices) price.retiredAt = CLOCK;
  await em.flush();
}

export function addPrice(
  em: EntityManager,
  offer: { id: string },
  price: Pick<ActivePrice, 'currency' | 'amountMinor' | 'isBase'>,
): void {
  em.create(Price, { id: newUuid(), offerId: offer.id, ...price });
}
