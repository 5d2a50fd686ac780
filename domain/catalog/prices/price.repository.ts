import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
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

type Offer = { id: string; isDefault: boolean; state: string };

/**
 * Finds the product's offer of a kind, or creates it, under the product's lock: pricing, listing
 * and removing wait for each other. The first offer becomes the default one.
 */
async function openOffer(
  em: EntityManager,
  { productId, kind }: Pick<PriceKey, 'productId' | 'kind'>,
): Promise<Offer | Refusal<'removed' | 'not_sold_here'>> {
  const product = await lockProduct(em, productId);
  if (!product) return refuse('removed');
  if (product.delivery !== 'entitlement_api') return refuse('not_sold_here');
  const find = `select id, is_default as "isDefault" from offer
    where product_id = ? and kind = ? and retired_at is null
    order by is_default desc, created_at, id limit 1`;
  const found = await rows<Omit<Offer, 'state'>>(em, find, [productId, kind]);
  const made = found[0] ?? (await insertOffer(em, { productId, kind }));
  return { ...made, state: product.state };
}

async function insertOffer(
  em: EntityManager,
  { productId, kind }: Pick<PriceKey, 'productId' | 'kind'>,
): Promise<Omit<Offer, 'state'>> {
  const [made] = await rows<Omit<Offer, 'state'>>(
    em,
    `insert into offer (id, product_id, kind, is_default) values (?, ?, ?, not exists (
       select from offer where product_id = ? and is_default and retired_at is null))
     returning id, is_default as "isDefault"`,
    [newUuid(), productId, kind, productId],
  );
  return made!;
}

/** Disabling the currency waits until the price is written. */
async function holdCurrency(em: EntityManager, currency: string): Promise<boolean> {
  const held = 'select 1 from enabled_currency where currency = ? for key share';
  return (await rows(em, held, [currency])).length > 0;
}

async function listActive(em: EntityManager, offerId: string): Promise<Map<string, Version>> {
  const found = await rows<{ currency: string; amountMinor: string; isBase: boolean }>(
    em,
    `select currency, amount_minor as "amountMinor", is_base as "isBase"
     from price where offer_id = ? and retired_at is null`,
    [offerId],
  );
  return new Map(
    found.map(({ currency, amountMinor, isBase }) => [
      currency,
      { amountMinor: Number(amountMinor), isBase },
    ]),
  );
}

async function retire(em: EntityManager, offerId: string, currency: string): Promise<void> {
  await rows(
    em,
    `update price set retired_at = gatehouse_now()
     where offer_id = ? and currency = ? and retired_at is null`,
    [offerId, currency],
  );
}

async function insert(
  em: EntityManager,
  offerId: string,
  { currency, amountMinor, isBase }: Version & { currency: string },
): Promise<void> {
  await rows(
    em,
    'insert into price (id, offer_id, currency, amount_minor, is_base) values (?, ?, ?, ?, ?)',
    [newUuid(), offerId, currency, amountMinor, isBase],
  );
}
