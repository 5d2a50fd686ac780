import { sql } from 'kysely';
import type { PriceView } from '../../catalog/product.repository.ts';
import { lockEntitlement } from '../../entitlements/entitlement.repository.ts';
import { holdPerson } from '../../identity/account.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { fromNow } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newPublicId, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { openSubscription } from '../product-subscriptions/subscription.repository.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import type { Attribution } from './attribution.ts';
import type { OpenCheckout } from './checkout.repository.ts';
import { isOwned } from '../purchases/purchase.repository.ts';

type Intent = {
  personId: string;
  productId: string;
  price: PriceView;
  attribution: Attribution;
  /** The address that the buyer goes to afterwards, if the link names one. */
  returnTo?: string | null;
};

/**
 * Commits the intent to buy with its purchase. The workflow of the purchase starts with the first
 * event about it. Null when another request of the same person opened a checkout for the product
 * first. Refused when a purchase cleared meanwhile (the lock of the clearing decides), when the
 * product is no longer listed, or when the buyer is gone.
 */
export async function recordCheckout(
  em: EntityManager,
  intent: Intent,
): Promise<OpenCheckout | null | Refusal<'already_owned' | 'not_listed'>> {
  const { personId, productId, price, attribution } = intent;
  await holdPayoutAccount(em, productId);
  if (!(await lockListed(em, productId))) return refuse('not_listed');
  await lockEntitlement(em, { personId, productId });
  if (await isOwned(em, { personId, productId })) return refuse('already_owned');
  if (!(await holdPerson(em, personId))) return refuse('not_listed');
  const checkoutId = await insertCheckout(em, intent);
  if (checkoutId === null) return null;
  const purchaseId = newPublicId('pay_');
  await em.insert(Purchase, { id: purchaseId, checkoutId, personId, productId, ...attribution });
  await openSubscription(em, { purchaseId, personId, productId, price });
  const { returnTo = null } = intent;
  const made = { checkoutId, purchaseId, priceId: price.priceId, returnTo };
  return { ...made, sessionId: null, sessionUrl: null };
}

export type LeftCheckout = NonNullable<Awaited<ReturnType<typeof findLeftCheckout>>>;

/** The open checkout behind a purchase, with the price that its buyer was shown. */
export async function findLeftCheckout(
  em: EntityManager,
  { personId, purchaseId }: { personId: string; purchaseId: string },
) {
  const found = await kysely(em)
    .selectFrom('purchase')
    .innerJoin('checkout', 'checkout.id', 'purchase.checkoutId')
    .innerJoin('offer', 'offer.id', 'checkout.offerId')
    .innerJoin('price', 'price.id', 'checkout.priceId')
    .select(['checkout.id as checkoutId', 'purchase.id as purchaseId', 'checkout.priceId'])
    .select(['checkout.sessionId', 'checkout.sessionUrl', 'checkout.returnTo'])
    .select(['checkout.productId', 'checkout.offerId', 'offer.kind', 'price.isBase'])
    .select(['checkout.amountMinor', 'checkout.currency'])
    .where('purchase.id', '=', purchaseId)
    .where('purchase.personId', '=', personId)
    .where('purchase.status', '=', 'pending')
    .where('checkout.status', '=', 'open')
    .executeTakeFirst();
  if (!found) return null;
  const { productId, offerId, kind, isBase, amountMinor, currency, ...open } = found;
  const price = { priceId: open.priceId, offerId, kind, isBase, amountMinor, currency };
  return { open, productId, price };
}

/**
 * The seller's account is replaced before the intent is committed, or after it and closes the
 * checkout.
 */
async function holdPayoutAccount(em: EntityManager, productId: string): Promise<void> {
  await kysely(em)
    .selectFrom('payoutAccount')
    .innerJoin('product', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('payoutAccount.personId', '=', ref('product.ownerPersonId')),
          eb('payoutAccount.teamId', '=', ref('product.ownerTeamId')),
        ]),
      ),
    )
    .select('payoutAccount.id')
    .where('product.id', '=', productId)
    .where('payoutAccount.replacedAt', 'is', null)
    .forShare('payoutAccount')
    .execute();
}

/** Keeps a product listed until the intent to buy it is committed; false when it is not listed. */
async function lockListed(em: EntityManager, productId: string): Promise<boolean> {
  const listed = await kysely(em)
    .selectFrom('product')
    .select('id')
    .where('id', '=', productId)
    .where('state', '=', 'listed')
    .forShare()
    .executeTakeFirst();
  return listed !== undefined;
}

// The lifetime of the processor's sessions; an intent without a session is dead after it too.
const LIFETIME = '24 hours';

// A partial index is found by its condition as text, never by a parameter.
const OPEN = sql.lit('open' as const);

/** The unique index of open checkouts decides between two requests: null for the second. */
async function insertCheckout(
  em: EntityManager,
  { personId, productId, price, returnTo = null }: Intent,
): Promise<string | null> {
  const { offerId, priceId, amountMinor, currency } = price;
  const agreed = { personId, productId, offerId, priceId, amountMinor, currency, returnTo };
  const opened = await kysely(em)
    .insertInto('checkout')
    .values({ id: newUuid(), ...agreed, expiresAt: fromNow(LIFETIME) })
    .onConflict((conflict) =>
      conflict.columns(['personId', 'productId']).where('status', '=', OPEN).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  return opened?.id ?? null;
}
