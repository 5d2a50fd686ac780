import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { Offer, Price } from '../offer.entity.ts';
import type { OfferKind } from '../product.repository.ts';
import { lockProduct } from '../listing/listing.repository.ts';

type PriceKey = { productId: string; kind: OfferKind; currency: string };
type Version = { amountMinor: number; isBase: boolean };

export type PriceRefusal = 'removed' | 'not_sold_here' | 'not_enabled' | 'no_price';

/**
 * Sets the price of an offer in a currency. The current price is retired and the new one takes its
 * place, in one transaction; the first price of an offer is its base price. Returns the amount
 * before, or null.
 */
export async function setPrice(
  em: EntityManager,
  { amountMinor, ...key }: PriceKey & { amountMinor: number },
): Promise<{ before: number | null; isNew: boolean } | Refusal<PriceRefusal>> {
  const offer = await openOffer(em, key);
  if ('refused' in offer) return offer;
  if (!(await holdCurrency(em, key.currency))) return refuse('not_enabled');
  const active = await listActive(em, offer.id);
  const before = active.get(key.currency) ?? null;
  if (before?.amountMinor === amountMinor) return { before: amountMinor, isNew: false };
  const isBase = before?.isBase ?? ![...active.values()].some((price) => price.isBase);
  if (before) await retire(em, offer.id, key.currency);
  await insert(em, offer.id, { currency: key.currency, amountMinor, isBase });
  return { before: before?.amountMinor ?? null, isNew: true };
}

/** Both prices get a new version in one transaction, so there are never two base prices. */
export async function makeBase(
  em: EntityManager,
  { currency, ...key }: PriceKey,
): Promise<{ before: string | null; isNew: boolean } | Refusal<PriceRefusal>> {
  const offer = await openOffer(em, key);
  if ('refused' in offer) return offer;
  if (!(await holdCurrency(em, currency))) return refuse('not_enabled');
  const active = await listActive(em, offer.id);
  const chosen = active.get(currency);
  if (!chosen) return refuse('no_price');
  const base = [...active].find(([, { isBase }]) => isBase);
  if (base?.[0] === currency) return { before: currency, isNew: false };
  await retire(em, offer.id, currency);
  if (base) {
    const [other, { amountMinor }] = base;
    await retire(em, offer.id, other);
    await insert(em, offer.id, { currency: other, amountMinor, isBase: false });
  }
  await insert(em, offer.id, { currency, amountMinor: chosen.amountMinor, isBase: true });
  return { before: base?.[0] ?? null, isNew: true };
}

/** The base price is withdrawn last, and for the default offer not while the product is listed. */
export async function withdrawPrice(
  em: EntityManager,
  { currency, ...key }: PriceKey,
): Promise<{ before: number; isNew: true } | Refusal<PriceRefusal | 'base_needed' | 'listed'>> {
  const offer = await openOffer(em, key);
  if ('refused' in offer) return offer;
  const active = await listActive(em, offer.id);
  const price = active.get(currency);
  if (!price) return refuse('no_price');
  if (price.isBase && active.size > 1) return refuse('base_needed');
  if (price.isBase && offer.isDefault && offer.state === 'listed') return refuse('listed');
  await retire(em, offer.id, currency);
  return { before: price.amountMinor, isNew: true };
}

type OpenOffer = { id: string; isDefault: boolean; state: string };

/**
 * Finds the product's offer of a kind, or creates it, under the product's lock: pricing, listing
 * and removing wait for each other. The first offer becomes the default one.
 */
async function openOffer(
  em: EntityManager,
  { productId, kind }: Pick<PriceKey, 'productId' | 'kind'>,
): Promise<OpenOffer | Refusal<'removed' | 'not_sold_here'>> {
  const product = await lockProduct(em, productId);
  if (!product) return refuse('removed');
  if (product.delivery !== 'entitlement_api') return refuse('not_sold_here');
  const found = await kysely(em)
    .selectFrom('offer')
    .select(['id', 'isDefault'])
    .where('productId', '=', productId)
    .where('kind', '=', kind)
    .where('retiredAt', 'is', null)
    .orderBy('isDefault', 'desc')
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const offer = found ?? (await insertOffer(em, { productId, kind }));
  return { ...offer, state: product.state };
}

async function insertOffer(
  em: EntityManager,
  { productId, kind }: Pick<PriceKey, 'productId' | 'kind'>,
): Promise<Omit<OpenOffer, 'state'>> {
  const hasDefault = await kysely(em)
    .selectFrom('offer')
    .select('id')
    .where('productId', '=', productId)
    .where('isDefault', '=', true)
    .where('retiredAt', 'is', null)
    .executeTakeFirst();
  const offer = { id: newUuid(), isDefault: !hasDefault };
  await em.insert(Offer, { ...offer, productId, kind });
  return offer;
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

async function listActive(em: EntityManager, offerId: string): Promise<Map<string, Version>> {
  const active = await kysely(em)
    .selectFrom('price')
    .select(['currency', 'amountMinor', 'isBase'])
    .where('offerId', '=', offerId)
    .where('retiredAt', 'is', null)
    .execute();
  return new Map(active.map(({ currency, ...version }) => [currency, version]));
}

async function retire(em: EntityManager, offerId: string, currency: string): Promise<void> {
  await kysely(em)
    .updateTable('price')
    .set({ retiredAt: NOW })
    .where('offerId', '=', offerId)
    .where('currency', '=', currency)
    .where('retiredAt', 'is', null)
    .execute();
}

async function insert(
  em: EntityManager,
  offerId: string,
  price: Version & { currency: string },
): Promise<void> {
  await em.insert(Price, { id: newUuid(), offerId, ...price });
}
