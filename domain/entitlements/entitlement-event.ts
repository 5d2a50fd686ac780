// Which entitlement event a change of the announced union calls for.

export type Announced = { isActive: boolean; endsAt: Date | null };

/**
 * What changed a source. Granted: a purchase or first payment cleared, a grant made, a product
 * opened, money that came back after all. Elapsed: nothing but time.
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

/** True when the clock has passed an end that was announced as still ahead. */
export function isExpiryOwed(announced: Announced, at: Date): boolean {
  return announced.isActive && announced.endsAt !== null && announced.endsAt <= at;
}

/** The event of a change, or null: events follow the announced union, not its sources. */
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
  // Its end has become the union's end, unless another source lasts longer.
  return before.endsAt?.getTime() === after.endsAt.getTime() ? null : 'entitlement.canceled';
}
