// Changes of a product's prices. Each writes a new version: the current price is retired, and the new one
// takes its place. Pricing, listing and removing wait for the product's row.
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type AuditEntry } from '../../audit/audit.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../shared/refusal.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import { decideProductRights, type RightsRefusal } from '../../teams/suspension.ts';
import { holdManagedProduct, type ActingManager } from '../product.repository.ts';
import {
  addPrice,
  createOffer,
  findOffer,
  holdCurrency,
  retirePrices,
  type OfferKey,
} from './price.repository.ts';

type PriceChange = OfferKey & { currency: string; by: ActingManager };

type ProductRefusal = RightsRefusal | 'removed' | 'not_sold_here';

/**
 * Sets the price of an offer in a currency; the first price of an offer is its base price. Returns the
 * amount before, or null.
 */
export async function setPrice(
  em: EntityManager,
  input: PriceChange & { amountMinor: number },
): Promise<{ before: number | null } | Refusal<ProductRefusal | 'not_enabled'>> {
  return inTransaction(em, async (em) => {
    const { currency, amountMinor } = input;
    const product = await lockForPricing(em, input);
    if (isRefusal(product)) return product;
    if (!(await holdCurrency(em, currency))) return refuse('not_enabled');
    const offer = await findOffer(em, input);
    const active = offer?.active ?? [];
    const current = active.find((price) => price.currency === currency);
    const before = current?.amountMinor ?? null;
    if (before === amountMinor) return { before };
    const isBase = current?.isBase ?? !active.some((price) => price.isBase);
    if (current) await retirePrices(em, [current]);
    const priced = offer ?? (await createOffer(em, input));
    addPrice(em, priced, { currency, amountMinor, isBase });
    const detail = { amount_minor: amountMinor, before_minor: before };
    await audit(em, { ...input, ...product }, { action: 'price.set', detail });
    return { before };
  });
}

/** Makes a price the base price. Both prices get a new version, so there are never two base prices. */
export async function makeBasePrice(
  em: EntityManager,
  input: PriceChange,
): Promise<{ before: string | null } | Refusal<ProductRefusal | 'not_enabled' | 'no_price'>> {
  return inTransaction(em, async (em) => {
    const { currency } = input;
    const product = await lockForPricing(em, input);
    if (isRefusal(product)) return product;
    if (!(await holdCurrency(em, currency))) return refuse('not_enabled');
    const offer = await findOffer(em, input);
    const chosen = offer?.active.find((price) => price.currency === currency);
    if (!offer || !chosen) return refuse('no_price');
    const base = offer.active.find(({ isBase }) => isBase);
    const before = base?.currency ?? null;
    if (base === chosen) return { before };
    await retirePrices(em, base ? [chosen, base] : [chosen]);
    if (base) {
      const { amountMinor } = base;
      addPrice(em, offer, { currency: base.currency, amountMinor, isBase: false });
    }
    addPrice(em, offer, { currency, amountMinor: chosen.amountMinor, isBase: true });
    await audit(em, { ...input, ...product }, { action: 'price.made_base' });
    return { before };
  });
}

/**
 * Withdraws a price. The base price goes last; the base price of the default offer stays while the
 * product is listed.
 */
export async function withdrawPrice(
  em: EntityManager,
  input: PriceChange,
): Promise<{ before: number } | Refusal<ProductRefusal | 'no_price' | 'base_needed' | 'listed'>> {
  return inTransaction(em, async (em) => {
    const product = await lockForPricing(em, input);
    if (isRefusal(product)) return product;
    const offer = await findOffer(em, input);
    const price = offer?.active.find(({ currency }) => currency === input.currency);
    if (!offer || !price) return refuse('no_price');
    if (price.isBase && offer.active.length > 1) return refuse('base_needed');
    if (price.isBase && offer.isDefault && product.state === 'listed') return refuse('listed');
    await retirePrices(em, [price]);
    await audit(em, { ...input, ...product }, { action: 'price.withdrawn' });
    return { before: price.amountMinor };
  });
}

async function lockForPricing(em: EntityManager, { productId, by }: PriceChange) {
  const held = await holdManagedProduct(em, { manager: by, productId });
  const managed = decideProductRights(held, 'price');
  if (isRefusal(managed)) return managed;
  const product = await lockProduct(em, productId);
  if (!product) return refuse('removed');
  if (product.delivery !== 'entitlement_api') return refuse('not_sold_here');
  return { state: product.state, teamId: managed.ownerTeamId };
}

/** Names the offer in the audit unless it is the single payment. */
async function audit(
  em: EntityManager,
  { by, productId, teamId, kind, currency }: PriceChange & { teamId: string | null },
  { action, detail }: Pick<AuditEntry, 'action' | 'detail'>,
): Promise<void> {
  const offer = kind === 'one_time' ? {} : { offer: kind };
  const entry = { action, subject: currency, detail: { ...detail, ...offer } };
  await recordAudit(em, { by, productId, teamId, ...entry });
}
