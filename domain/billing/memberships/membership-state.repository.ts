import { Membership } from '../../entitlements/memberships/membership.entity.ts';
import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { decideDue, waitForDueMs, type Due } from '../subscriptions/subscription-due.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import { restOf } from './membership-move.ts';

/** What the workflow and operators need to know. */
export type MembershipState = {
  status: SubscriptionStatus | 'dead_lettered';
  /** Something is ahead, or the processor has yet to confirm the end or a refund. */
  isOpen: boolean;
  waitMs: number;
  waitsFor: string;
  personId: string;
};

const MINUTE_MS = 60_000;

export async function readMembershipState(em: EntityManager, id: string): Promise<MembershipState> {
  const found = await em.findOneOrFail(Membership, { id }, { disableIdentityMap: true });
  const { status, isClosing, personId, billingInterval, sessionExpiresAt } = found;
  const at = await now(em);
  const isPending = status === 'incomplete';
  const rest = restOf(found);
  const due =
    rest === null || isClosing
      ? decideDue({ ...found, billingInterval: billingInterval ?? 'month' })
      : endOfRest(rest);
  const sessionMs = sessionExpiresAt.getTime() - at.getTime() + MINUTE_MS;
  const waitMs = isPending && sessionMs > 0 ? sessionMs : waitForDueMs(due, at);
  const isReturning = await hasOpenRefund(em, id);
  const waitsFor = isClosing
    ? 'the end at the processor'
    : (due?.what ?? (isReturning ? 'a refund' : 'its first payment'));
  const isOpen = status !== 'ended' || isClosing || isReturning || rest !== null;
  return { status, isOpen, waitMs: Math.ceil(waitMs), waitsFor, personId };
}

function endOfRest(rest: Date): Due {
  return { what: 'end', at: new Date(rest.getTime() + MINUTE_MS) };
}

async function hasOpenRefund(em: EntityManager, membershipId: string): Promise<boolean> {
  const found = await rows(
    em,
    `select 1 from refund r join payment y on y.id = r.payment_id
     where y.membership_id = ? and r.status in ('requested', 'submitted') limit 1`,
    [membershipId],
  );
  return found.length > 0;
}
