// Which entitlement event a change of the announced union calls for.

export type Announced = { isActive: boolean; endsAt: Date | null };

export type EntitlementEventName = 'entitlement.created' | 'entitlement.expired';

/** True when the clock has passed an end that was announced as still ahead. */
export function isExpiryOwed(announced: Announced, at: Date): boolean {
  return announced.isActive && announced.endsAt !== null && announced.endsAt <= at;
}

/** The event of a change, or null: events follow the announced union, not its sources. */
export function decideAnnouncement(
  before: Announced,
  after: Announced,
): EntitlementEventName | null {
  if (!before.isActive && after.isActive) return 'entitlement.created';
  if (before.isActive && !after.isActive) return 'entitlement.expired';
  return null;
}
