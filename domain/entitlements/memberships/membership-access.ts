// What a membership adds to a person's access to an Included product.
import { laterEnd, type EffectiveAccess } from '../effective-access.ts';

export type LiveMembership = { endsAt: Date | null };

/** Effective access with a live membership for an Included product. */
export function withMembership(
  access: EffectiveAccess,
  membership: LiveMembership | null,
): EffectiveAccess {
  if (!membership) return access;
  if (!access.isActive) {
    return { isActive: true, type: 'member', source: 'member', endsAt: membership.endsAt };
  }
  return { ...access, endsAt: laterEnd(access.endsAt, membership.endsAt) };
}

/** Effective access after a membership: the source that ended last is remembered. */
export function withPastMembership(access: EffectiveAccess, endedAt: Date | null): EffectiveAccess {
  if (access.isActive || endedAt === null) return access;
  const isLater = access.type === null || access.endsAt === null || access.endsAt <= endedAt;
  return isLater ? { isActive: false, type: 'member', source: 'member', endsAt: endedAt } : access;
}
