// The entitlement event of a change of the effective access.

export type Announced = { isActive: boolean; endsAt: Date | null };

/**
 * The reason of a change. Granted: a purchase or first payment cleared, a grant was made, a product
 * activated, or money came back. Elapsed: time alone.
 */
export type Cause =
  | 'granted'
  | 'cancelled'
  | 'resumed'
  | 'renewed'
  | 'elapsed'
  | 'withdrawn'
  | 'refunded';

export type EntitlementEventName =
  | 'entitlement.created'
  | 'entitlement.canceled'
  | 'entitlement.expired'
  | 'entitlement.refunded'
  | 'entitlement.resumed'
  | 'entitlement.renewed';

type Change = { cause: Cause; before: Announced; after: Announced };

/** True when the clock has passed an end that was announced as ahead. */
export function isExpiryOwed(announced: Announced, at: Date): boolean {
  return announced.isActive && announced.endsAt !== null && announced.endsAt <= at;
}

/**
 * The event of a change, or null: events follow the announced effective access, not its sources.
 */
export function decideAnnouncement({ cause, before, after }: Change): EntitlementEventName | null {
  if (!before.isActive) return after.isActive ? 'entitlement.created' : null;
  return after.isActive ? decideWhileActive({ cause, before, after }) : decideLoss(cause);
}

function decideLoss(cause: Cause): EntitlementEventName {
  if (cause === 'refunded') return 'entitlement.refunded';
  return cause === 'withdrawn' || cause === 'cancelled'
    ? 'entitlement.canceled'
    : 'entitlement.expired';
}

function decideWhileActive({ cause, before, after }: Change): EntitlementEventName | null {
  if (cause === 'renewed') return 'entitlement.renewed';
  const hadEnd = before.endsAt !== null;
  if (cause === 'resumed') return hadEnd && after.endsAt === null ? 'entitlement.resumed' : null;
  if (cause !== 'cancelled' || after.endsAt === null) return null;
  // The ended source sets the effective end, unless another source lasts longer.
  return before.endsAt?.getTime() === after.endsAt.getTime() ? null : 'entitlement.canceled';
}
