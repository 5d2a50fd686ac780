// The demo's Member subscribes as people do: a checkout, paid at the simulator, and read back from it.
import type { Processor } from '../../clients/processor/processor.ts';
import { applyMembership } from '../../domain/billing/memberships/apply-membership.command.ts';
import { listMemberPrices } from '../../domain/billing/memberships/member-price.repository.ts';
import { takeMembershipFencingToken } from '../../domain/billing/memberships/membership-view.repository.ts';
import {
  attachMemberSession,
  findOpenMembership,
  isRunning,
  openMembership,
} from '../../domain/billing/memberships/membership-billing.repository.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { Database } from '../../platform/database/database.ts';
import { createBrowser, describePage } from './browser.ts';
import { STORE_CURRENCY } from './pool/members.ts';

type Services = { database: Database; processor: Processor; baseUrl: string };
type Subscriber = { id: string; email: string };

/** A membership that runs stays. */
export async function subscribeMember(services: Services, person: Subscriber): Promise<void> {
  const { database, processor } = services;
  if (await isRunning(database.em(), person.id)) return;
  const membershipId = await pay(services, person);
  const fence = await database.transaction((em) => takeMembershipFencingToken(em, membershipId));
  const { subscriptionId } = await processor.readCheckout(fence.sessionId!, membershipId);
  const reading = await processor.readSubscription(subscriptionId!);
  const returns = { refunds: [], disputes: [] };
  const applied = { fence, reading, returns, processor: processor.kind };
  await database.transaction((em) => applyMembership(em, applied));
}

/** Answers with the id of the membership that is paid. */
async function pay(services: Services, { id: personId, email }: Subscriber): Promise<string> {
  const { database, processor, baseUrl } = services;
  const prices = await listMemberPrices(database.em());
  const price = prices.find(
    ({ currency, billingInterval }) => currency === STORE_CURRENCY && billingInterval === 'month',
  )!;
  const open =
    (await findOpenMembership(database.em(), personId)) ??
    (await database.transaction((em) => openMembership(em, { personId, price })));
  if (!open || isRefusal(open)) throw new Error('The demo has no checkout for its Member.');
  const { membershipId } = open;
  const session = await processor.openCheckout({
    checkoutId: membershipId,
    membershipId,
    productName: 'Member',
    amountMinor: price.amountMinor,
    currency: price.currency,
    customerEmail: email,
    payoutAccount: null,
    applicationFeeMinor: 0,
    applicationFeeBasisPoints: 0,
    recurring: { interval: price.billingInterval },
    successUrl: `${baseUrl}/member`,
    cancelUrl: `${baseUrl}/member`,
  });
  await attachMemberSession(database.em(), membershipId, session);
  const browser = createBrowser();
  const paid = await browser.submit(await browser.visit(session.url));
  if (paid.status !== 303) throw new Error(`The simulator answered ${describePage(paid)}.`);
  return membershipId;
}
