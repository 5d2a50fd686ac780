import {
  ProcessorFault,
  UnknownProcessorState,
  type CheckoutStatus,
} from '../../activities/clients/processor.ts';
import type { PriceView, ProductView } from '../../domain/catalog/catalog.store.ts';
import type { Visitor } from '../../domain/identity/identity.store.ts';
import { platformCutMinor } from '../../domain/platform/money.ts';
import { refuse, type Refusal } from '../../domain/platform/refusal.ts';
import type { Attribution } from '../../domain/selling/attribution.ts';
import {
  attachSession,
  findOpenCheckout,
  openCheckout,
  replaceCheckout,
  type OpenCheckout,
} from '../../domain/selling/checkout.store.ts';
import type { Services } from '../services.ts';

export type Deal = {
  services: Services;
  product: ProductView;
  price: PriceView;
  attribution: Attribution;
  visitor: Visitor;
};

type Location = { url: string };

const TRIES = 4;

/**
 * Where the buyer pays. The intent is committed first, then the processor is called outside any
 * transaction with the checkout's id as idempotency key, then its session is committed.
 */
export async function openSession(
  deal: Deal,
): Promise<Location | Refusal<'processor_unavailable'>> {
  try {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const open = await findOrOpen(deal);
      const location = open && (await locate(deal, open));
      if (location) return location;
    }
  } catch (fault) {
    if (!(fault instanceof ProcessorFault || fault instanceof UnknownProcessorState)) throw fault;
    deal.services.logger.error({ fault: fault.name, reason: fault.message }, 'checkout not opened');
  }
  return refuse('processor_unavailable');
}

/** Null when another tab of the same person has just opened one: look again. */
async function findOrOpen(deal: Deal): Promise<OpenCheckout | null> {
  const { database } = deal.services;
  const { product, price, attribution, visitor } = deal;
  const key = { personId: visitor.personId, productId: product.id };
  const open = await findOpenCheckout(database.em(), key);
  if (open) return open;
  return database.transaction((em) => openCheckout(em, { ...key, price, attribution }));
}

/** Null when the open checkout had to make place for another one. */
async function locate(deal: Deal, open: OpenCheckout): Promise<Location | null> {
  const { processor, database } = deal.services;
  const isAsAsked = open.priceId === deal.price.priceId;
  if (open.sessionId === null || open.sessionUrl === null) {
    if (isAsAsked) return callProcessor(deal, open);
  } else {
    if (!isAsAsked) await processor.expireCheckout(open.sessionId);
    const { status } = await processor.readCheckout(open.sessionId);
    if (isAsAsked && isPayable(status)) return { url: open.sessionUrl };
    if (status !== 'expired') return { url: `/purchases/${open.purchaseId}` };
  }
  await database.transaction((em) => replaceCheckout(em, open.checkoutId));
  return null;
}

async function callProcessor(deal: Deal, open: OpenCheckout): Promise<Location> {
  const { processor, database } = deal.services;
  try {
    const session = await processor.openCheckout(describeCheckout(deal, open));
    await attachSession(database.em(), open.checkoutId, session);
    return { url: session.url };
  } catch (fault) {
    // Asking the same again cannot help: the next attempt shall not find this intent.
    if (fault instanceof ProcessorFault && fault.isPermanent) {
      await database.transaction((em) => replaceCheckout(em, open.checkoutId));
    }
    throw fault;
  }
}

function describeCheckout({ services, product, price, visitor }: Deal, open: OpenCheckout) {
  const { baseUrl, feeBasisPoints } = services.config;
  return {
    checkoutId: open.checkoutId,
    purchaseId: open.purchaseId,
    productName: product.name,
    amountMinor: price.amountMinor,
    currency: price.currency,
    customerEmail: visitor.email,
    payoutAccount: product.payoutAccount ?? '',
    applicationFeeMinor: platformCutMinor(price.amountMinor, feeBasisPoints),
    successUrl: `${baseUrl}/purchases/${open.purchaseId}`,
    cancelUrl: `${baseUrl}/p/${product.slug}`,
  };
}

function isPayable(status: CheckoutStatus): boolean {
  return status === 'open' || status === 'declined';
}
