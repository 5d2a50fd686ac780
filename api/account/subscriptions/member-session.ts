import { isProcessorTrouble, ProcessorFault } from '../../../clients/processor/processor.ts';
import type { CurrentUser } from '../../../domain/identity/current-user.repository.ts';
import { isRefusal, refuse, type Refusal } from '../../../domain/shared/refusal.ts';
import type { MemberPriceView } from '../../../domain/billing/memberships/member-price.repository.ts';
import {
  attachMemberSession,
  findOpenMembership,
  openMembership,
  replaceMembership,
  type OpenMembership,
} from '../../../domain/billing/memberships/membership-billing.repository.ts';
import type { Services } from '../../services.ts';
import { MEMBER } from './member.page.ts';

type Deal = { services: Services; price: MemberPriceView; currentUser: CurrentUser };

const TRIES = 5;

/**
 * Returns where Member is paid for. As for a product, the intent is committed first, then the
 * processor is called outside any transaction with its id as idempotency key, then its session is
 * committed.
 */
export async function openMemberSession(
  deal: Deal,
): Promise<{ url: string } | Refusal<'already_member' | 'processor_unavailable'>> {
  try {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const open = await findOrOpen(deal);
      if (open && isRefusal(open)) return open;
      const location = open && (await locate(deal, open));
      if (location) return location;
    }
  } catch (error) {
    if (!isProcessorTrouble(error)) throw error;
    deal.services.logger.error({ error: error.name, reason: error.message }, 'checkout not opened');
  }
  return refuse('processor_unavailable');
}

async function findOrOpen({ services, price, currentUser: { personId } }: Deal) {
  const { database } = services;
  const open = await findOpenMembership(database.em(), personId);
  return open ?? database.transaction((em) => openMembership(em, { personId, price }));
}

/** Returns null when it had to make place for another one: look again. */
async function locate(deal: Deal, open: OpenMembership): Promise<{ url: string } | null> {
  const { processor, database } = deal.services;
  const isAsAsked = open.priceId === deal.price.priceId;
  if (open.sessionId === null || open.sessionUrl === null) {
    if (isAsAsked) return callProcessor(deal, open);
  } else {
    if (!isAsAsked) await processor.expireCheckout(open.sessionId);
    const { status } = await processor.readCheckout(open.sessionId);
    if (isAsAsked && (status === 'open' || status === 'declined')) return { url: open.sessionUrl };
    // Paid, or on its way: its actor follows it, and the page shows it.
    if (status !== 'expired') return { url: MEMBER };
  }
  await database.transaction((em) => replaceMembership(em, open));
  return null;
}

async function callProcessor(deal: Deal, open: OpenMembership): Promise<{ url: string } | null> {
  const { services, price, currentUser } = deal;
  const { processor, database, config } = services;
  const { membershipId } = open;
  try {
    const session = await processor.openCheckout({
      checkoutId: membershipId,
      membershipId,
      productName: 'Member',
      amountMinor: price.amountMinor,
      currency: price.currency,
      customerEmail: currentUser.email,
      // All of it stays with the platform.
      payoutAccount: null,
      applicationFeeMinor: 0,
      applicationFeeBasisPoints: 0,
      recurring: { interval: price.billingInterval },
      successUrl: `${config.baseUrl}${MEMBER}`,
      cancelUrl: `${config.baseUrl}${MEMBER}?reason=checkout_cancelled`,
    });
    if (await attachMemberSession(database.em(), membershipId, session)) return session;
    // Another tab replaced the checkout. Expires this session, because no row refers to it.
    await processor.expireCheckout(session.sessionId);
    return null;
  } catch (error) {
    if (error instanceof ProcessorFault && error.needsNewKey) {
      await database.transaction((em) => replaceMembership(em, open));
    }
    throw error;
  }
}
