import type { PriceView } from '../../catalog/product.repository.ts';
import { lockEntitlement } from '../../entitlements/entitlement.repository.ts';
import { holdPerson } from '../../identity/account.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { newPublicId, newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import type { Attribution } from './attribution.ts';
import { Checkout } from './checkout.entity.ts';
import { isOwned } from './owned.repository.ts';
import { Purchase } from '../purchases/purchase.entity.ts';
import { openSubscription } from '../product-subscriptions/subscription.repository.ts';

export type OpenCheckout = {
  checkoutId: string;
  purchaseId: string;
  priceId: string;
  sessionId: string | null;
  sessionUrl: string | null;
};

/** The lifetime of the processor's sessions; an intent without a session is dead after it too. */
const CHECKOUT_HOURS = 24;

export async function findOpenCheckout(
  em: EntityManager,
  key: { personId: string; productId: string },
): Promise<OpenCheckout | null> {
  const [found] = await rows<OpenCheckout>(
    em,
    `select c.id as "checkoutId", p.id as "purchaseId", c.price_id as "priceId",
       c.session_id as "sessionId", c.session_url as "sessionUrl"
     from checkout c join purchase p on p.checkout_id = c.id
     where c.person_id = ? and c.product_id = ? and c.status = 'open'`,
    [key.personId, key.productId],
  );
  return found ?? null;
}

/**
 * Commits the intent to buy with its purchase. The workflow of the purchase starts with the first
 * event about it. Null when another request of the same person opened a checkout for the product
 * first: a unique index decides. Refused when a purchase cleared meanwhile (the lock of the
 * clearing decides), when the product is no longer listed, or when the buyer is gone.
 */
export async function openCheckout(
  em: EntityManager,
  intent: {
    personId: string;
    productId: string;
    price: PriceView;
    attribution: Attribution;
  },
): Promise<OpenCheckout | null | Refusal<'already_owned' | 'not_listed'>> {
  const { personId, productId, price, attribution } = intent;
  if (!(await holdListed(em, productId))) return refuse('not_listed');
  await lockEntitlement(em, { personId, productId });
  if (await isOwned(em, { personId, productId })) return refuse('already_owned');
  if (!(await holdPerson(em, personId))) return refuse('not_listed');
  const checkoutId = newUuid();
  const purchaseId = newPublicId('pay_');
  const opened = await rows(
    em,
    `insert into checkout
       (id, person_id, product_id, offer_id, price_id, amount_minor, currency, expires_at)
     values (?, ?, ?, ?, ?, ?, ?, gatehouse_now() + ? * interval '1 hour')
     on conflict (person_id, product_id) where status = 'open' do nothing returning id`,
    [
      checkoutId,
      personId,
      productId,
      price.offerId,
      price.priceId,
      price.amountMinor,
      price.currency,
      CHECKOUT_HOURS,
    ],
  );
  if (opened.length === 0) return null;
  await em.insert(Purchase, { id: purchaseId, checkoutId, personId, productId, ...attribution });
  await openSubscription(em, { purchaseId, personId, productId, price });
  return { checkoutId, purchaseId, priceId: price.priceId, sessionId: null, sessionUrl: null };
}

/** Keeps a product listed until the intent to buy it is committed; false when it is not listed. */
async function holdListed(em: EntityManager, productId: string): Promise<boolean> {
  const listed = `select 1 from product where id = ? and state = 'listed' for share`;
  return (await rows(em, listed, [productId])).length > 0;
}

/**
 * Ties the processor's session to its checkout; false when another checkout replaced it meanwhile.
 * The session is stored all the same, so that reconciliation finds money that is paid in it.
 */
export async function attachSession(
  em: EntityManager,
  checkoutId: string,
  session: { sessionId: string; url: string; expiresAt: Date },
): Promise<boolean> {
  const attached = await rows(
    em,
    `update checkout set session_id = ?, session_url = ?, expires_at = ?
     where id = ? and status = 'open' returning 1`,
    [session.sessionId, session.url, session.expiresAt, checkoutId],
  );
  if (attached.length === 1) return true;
  await rows(
    em,
    `with kept as (
       update checkout set session_id = ?, session_url = ?, expires_at = ?
       where id = ? and session_id is null returning id)
     update purchase p set ask_again_at = gatehouse_now() + interval '1 hour'
     from kept where p.checkout_id = kept.id`,
    [session.sessionId, session.url, session.expiresAt, checkoutId],
  );
  return false;
}

/** Replaces an open checkout as it was read; the workflow settles its purchase. */
export async function replaceCheckout(
  em: EntityManager,
  { checkoutId, sessionId }: Pick<OpenCheckout, 'checkoutId' | 'sessionId'>,
): Promise<void> {
  await em.nativeUpdate(
    Checkout,
    { id: checkoutId, status: 'open', sessionId },
    { status: 'replaced' },
  );
}

/** The last followed link sets the source of a purchase that is not paid. */
export async function recordAttribution(
  em: EntityManager,
  purchaseId: string,
  attribution: Attribution,
): Promise<void> {
  await em.nativeUpdate(Purchase, { id: purchaseId, status: 'pending' }, attribution);
}
