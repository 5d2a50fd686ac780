// Decides where a status can move, and why: no status moves but along these arrows.
import type { ChangeReason } from '../../entitlements/decide-entitlement-event.ts';

export const SUBSCRIPTION_STATUSES = [
  'incomplete',
  'active',
  'past_due',
  'canceling',
  'ended',
] as const;

export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

const ARROWS: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  incomplete: ['active', 'ended'],
  active: ['past_due', 'canceling', 'ended'],
  past_due: ['active', 'canceling', 'ended'],
  canceling: ['active', 'ended'],
  ended: [],
};

/**
 * The next status on the way to the processor's status, or null. A status that no arrow reaches
 * goes by way of `active`, and the next reading continues.
 */
export function decideMove(
  current: SubscriptionStatus,
  target: SubscriptionStatus,
): SubscriptionStatus | null {
  const arrows = ARROWS[current];
  if (arrows.includes(target)) return target;
  const isOnTheWay = current !== target && arrows.includes('active');
  return isOnTheWay && ARROWS.active.includes(target) ? 'active' : null;
}

/** What a move is to the access that the subscription gives. */
export function decideReason(
  from: SubscriptionStatus,
  { to, isCutShort }: { to: SubscriptionStatus; isCutShort: boolean },
): ChangeReason {
  if (to === 'canceling') return 'cancelled';
  if (to === 'active' && from === 'canceling') return 'resumed';
  return to === 'ended' && isCutShort ? 'cancelled' : 'elapsed';
}
