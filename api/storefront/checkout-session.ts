import { setTimeout as pause } from 'node:timers/promises';
import { isProcessorTrouble, ProcessorFault } from '../../clients/processor/processor.ts';
import { type CheckoutStatus } from '../../clients/processor/checkout-state.ts';
import { findPayoutAccount } from '../../domain/catalog/payouts/payout-account.repository.ts';
import type { PriceView, ProductView } from '../../domain/catalog/product.repository.ts';
import type { CurrentUser } from '../../domain/identity/current-user.repository.ts';
import { platformCutMinor } from '../../domain/shared/money.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/shared/refusal.ts';
import type { Attribution } from '../../domain/billing/checkout/attribution.ts';
import {
  abandonCheckout,
  attachSession,
  findOpenCheckout,
  recordLink,
  replaceCheckout,
  type OpenCheckout,
} from '../../domain/billing/checkout/checkout.repository.ts';
import { recordCheckout } from '../../domain/billing/checkout/record-checkout.repository.ts';
import { BILLING_INTERVALS } from '../../domain/billing/recurring/billing-interval.ts';
import { readFeeOfPurchase } from '../../domain/billing/platform-fee.repository.ts';
import type { Services } from '../services.ts';

export type Deal = {
  services: Services;
  product: ProductView;
  price: PriceView;
  attribution: Attribution;
  /** The address that the buyer goes to afterwards, if the link names one. */
  returnTo: string | null;
  currentUser: CurrentUser;
};

/** An open checkout is continued as it is, whatever link led to it. */
type Continued = Omit<Deal, 'attribution' | 'returnTo'>;

type Location = { url: string };

const TRIES = 12;
const PAUSE_MS = 100;
// After this many attempts the other tab's call has failed or timed out.
const WAITING_TRIES = 8;

/**
 * Returns where the buyer pays. The intent is committed first, then the processor is called outside
 * any transaction with the checkout's id as idempotency key, then its session is committed.
 */
export async function openSession(
  deal: Deal,
): Promise<Location | Refusal<'already_owned' | 'not_listed' | 'processor_unavailable'>> {
  try {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const open = await findOrOpen(deal);
      if (open && isRefusal(open)) return open;
      const location = open && (await locate(deal, open, attempt <= WAITING_TRIES));
      if (location) return location;
    }
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    deal.services.logger.error({ error: error.name, reason: error.message }, 'checkout not opened');
  }
  return refuse('processor_unavailable');
}

/** Returns where a checkout that was left behind is paid; null when it is over. */
export async function continueSession(
  deal: Continued,
  open: OpenCheckout,
): Promise<Location | null | Refusal<'processor_unavailable'>> {
  try {
    return await locate(deal, open, false);
  } catch (error) {
    return refuseTrouble(deal.services, error);
  }
}

/**
 * Ends a checkout that its buyer does not want: at the processor first, so that nothing can be paid
 * for it any more. It stays when it is paid, or being paid.
 */
export async function discardSession(
  { processor, database, logger }: Services,
  open: OpenCheckout,
): Promise<{ isDiscarded: boolean } | Refusal<'processor_unavailable'>> {
  try {
    if (open.sessionId !== null) {
      await processor.expireCheckout(open.sessionId);
      const { status } = await processor.readCheckout(open.sessionId);
      if (status !== 'expired') return { isDiscarded: false };
    }
  } catch (error) {
    return refuseTrouble({ logger }, error);
  }
  return { isDiscarded: await database.transaction((em) => abandonCheckout(em, open)) };
}

function refuseTrouble({ logger }: Pick<Services, 'logger'>, error: unknown) {
  if (!isProcessorTrouble(error)) throw error;
  logger.error({ error: error.name, reason: error.message }, 'checkout not reached');
  return refuse('processor_unavailable');
}

/** Returns null when another tab of the same person has just opened one: the caller looks again. */
async function findOrOpen(deal: Deal) {
  const { database } = deal.services;
  const { product, price, attribution, returnTo, currentUser } = deal;
  const key = { personId: currentUser.personId, productId: product.id };
  const open = await findOpenCheckout(database.em(), key);
  if (!open) {
    return database.transaction((em) =>
      recordCheckout(em, { ...key, price, attribution, returnTo }),
    );
  }
  await recordLink(database.em(), open, { attribution, returnTo });
  return open;
}

/** Returns null if the open checkout was or may be replaced; the caller tries again. */
async function locate(
  deal: Continued,
  open: OpenCheckout,
  mayWait: boolean,
): Promise<Location | null> {
  const { processor, database } = deal.services;
  const isAsAsked = open.priceId === deal.price.priceId;
  if (open.sessionId === null || open.sessionUrl === null) {
    if (isAsAsked) return callProcessor(deal, open);
    // Another tab is asking the processor for another price: its session has to be there to be expired.
    if (mayWait) {
      await pause(PAUSE_MS);
      return null;
    }
  } else {
    if (!isAsAsked) await processor.expireCheckout(open.sessionId);
    const { status } = await processor.readCheckout(open.sessionId);
    if (isAsAsked && isPayable(status)) return { url: open.sessionUrl };
    if (status !== 'expired') return { url: waitingPath(open) };
  }
  await database.transaction((em) => replaceCheckout(em, open));
  return null;
}

async function callProcessor(deal: Continued, open: OpenCheckout): Promise<Location | null> {
  const { processor, database } = deal.services;
  try {
    const session = await processor.openCheckout(await describeCheckout(deal, open));
    const isAttached = await attachSession(database.em(), open.checkoutId, session);
    if (isAttached) return { url: session.url };
    // Another tab replaced the checkout. Expires this session, because no row refers to it.
    await processor.expireCheckout(session.sessionId);
    return null;
  } catch (error) {
    // The checkout id is the idempotency key, so the next attempt needs a new checkout. No charge
    // exists yet.
    if (error instanceof ProcessorFault && error.needsNewKey) {
      await database.transaction((em) => replaceCheckout(em, open));
    }
    throw error;
  }
}

async function describeCheckout(
  { services, product, price, currentUser }: Continued,
  open: OpenCheckout,
) {
  const { baseUrl } = services.config;
  const interval = BILLING_INTERVALS[price.kind];
  const em = services.database.em();
  const feeBasisPoints = await readFeeOfPurchase(em, open.purchaseId);
  // Read after the intent was committed: a replacement of the account from then on closes it.
  const payouts = await findPayoutAccount(em, product);
  return {
    checkoutId: open.checkoutId,
    purchaseId: open.purchaseId,
    productName: product.name,
    amountMinor: price.amountMinor,
    currency: price.currency,
    customerEmail: currentUser.email,
    payoutAccount: payouts?.account ?? '',
    applicationFeeMinor: platformCutMinor(price.amountMinor, feeBasisPoints),
    applicationFeeBasisPoints: feeBasisPoints,
    recurring: interval && { interval },
    successUrl: `${baseUrl}${waitingPath(open)}`,
    cancelUrl: `${baseUrl}/purchases/${open.purchaseId}?cancelled=yes`,
  };
}

/** The page after the payment, which waits for the processor's word. */
function waitingPath({ purchaseId }: Pick<OpenCheckout, 'purchaseId'>): string {
  return `/purchases/${purchaseId}?returned=yes`;
}

function isPayable(status: CheckoutStatus): boolean {
  return status === 'open' || status === 'declined';
}
