import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/database.ts';
import { CLOCK } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { Offer, Price } from '../offer.entity.ts';
import type { OfferKind } from '../product.repository.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';

type PriceKey = { productId: string; kind: OfferKind; currency: string };
type Version = InferEntity<typeof Price>;

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
  const before = offer.active.find(({ currency }) => currency === key.currency);
  if (before?.amountMinor === amountMinor) return { before: amountMinor, isNew: false };
  const isBase = before?.isBase ?? !offer.active.some((price) => price.isBase);
  if (before) await retire(em, [before]);
  insert(em, offer, { currency: key.currency, amountMinor, isBase });
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
  const chosen = offer.active.find((price) => price.currency === currency);
  if (!chosen) return refuse('no_price');
  const base = offer.active.find(({ isBase }) => isBase);
  if (base === chosen) return { before: currency, isNew: false };
  await retire(em, base ? [chosen, base] : [chosen]);
  if (base) insert(em, offer, { ...valuesOf(base), isBase: false });
  insert(em, offer, { ...valuesOf(chosen), isBase: true });
  return { before: base?.currency ?? null, isNew: true };
}

/** The base price is withdrawn last, and for the default offer not while the product is listed. */
export async function withdrawPrice(
  em: EntityManager,
  { currency, ...key }: PriceKey,
): Promise<{ before: number; isNew: true } | Refusal<PriceRefusal | 'base_needed' | 'listed'>> {
  const offer = await openOffer(em, key);
  if ('refused' in offer) return offer;
  const price = offer.active.find((each) => each.currency === currency);
  if (!price) return refuse('no_price');
  if (price.isBase && offer.active.length > 1) return refuse('base_needed');
  if (price.isBase && offer.isDefault && offer.state === 'listed') return refuse('listed');
  await retire(em, [price]);
  return { before: price.amountMinor, isNew: true };
}

type OpenOffer = { id: string; isDefault: boolean; state: string; active: Version[] };

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
  const found = await em.findOne(
    Offer,
    { productId, kind, retiredAt: null },
    {
      populate: ['prices'],
      populateWhere: { prices: { retiredAt: null } },
      orderBy: { isDefault: 'desc', createdAt: 'asc', id: 'asc' },
    },
  );
  const { id, isDefault, prices } = found ?? (await createOffer(em, { productId, kind }));
  return { id, isDefault, state: product.state, active: prices.getItems() };
}

async function createOffer(
  em: EntityManager,
  { productId, kind }: Pick<PriceKey, 'productId' | 'kind'>,
) {
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

const valuesOf = ({ currency, amountMinor }: Version) => ({ currency, amountMinor });

/** At once: a currency of an offer has one active price, and an offer one base price. */
async function retire(em: EntityManager, prices: readonly Version[]): Promise<void> {
  for (const price of prices) price.retiredAt = CLOCK;
  await em.flush();
}

function insert(
  em: EntityManager,
  offer: OpenOffer,
  price: Pick<Version, 'currency' | 'amountMinor' | 'isBase'>,
): void {
  em.create(Price, { id: newUuid(), offerId: offer.id, ...price });
}
