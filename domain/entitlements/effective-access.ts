// The effective access from a person's sources to one product: fixed order of types, latest end, no
// end wins.

export const GRANT_TYPES = ['purchase', 'subscription', 'complimentary'] as const;
export type GrantType = (typeof GRANT_TYPES)[number];
export const ACCESS_TYPES = [...GRANT_TYPES, 'member'] as const;
export type AccessType = (typeof ACCESS_TYPES)[number];

export type Source = {
  type: GrantType;
  source: string;
  startsAt: Date;
  endsAt: Date | null;
  withdrawnAt: Date | null;
};

export type EffectiveAccess = {
  isActive: boolean;
  type: AccessType | null;
  source: string | null;
  endsAt: Date | null;
};

export const NO_ACCESS: EffectiveAccess = {
  isActive: false,
  type: null,
  source: null,
  endsAt: null,
};

const TYPE_ORDER: Record<AccessType, number> = {
  purchase: 0,
  subscription: 1,
  complimentary: 2,
  member: 3,
};

/** Effective access at an instant. Ended access keeps the last type, source and end. */
export function decideEffectiveAccess(sources: readonly Source[], at: Date): EffectiveAccess {
  const started = sources.filter((source) => source.startsAt <= at);
  const active = started.filter((source) => isRunning(effectiveEnd(source), at));
  if (active.length > 0) {
    const shown = active.toSorted((a, b) => TYPE_ORDER[a.type] - TYPE_ORDER[b.type])[0]!;
    const endsAt = active.map(effectiveEnd).reduce(laterEnd);
    return { isActive: true, type: shown.type, source: shown.source, endsAt };
  }
  const last = started.toSorted((a, b) => endOrder(b) - endOrder(a))[0];
  if (!last) return NO_ACCESS;
  return { isActive: false, type: last.type, source: last.source, endsAt: effectiveEnd(last) };
}

/** The next start or end, at which time alone changes the effective access. */
export function decideRecheckAt(sources: readonly Source[], at: Date): Date | null {
  const ahead = sources
    .flatMap((source) => [source.startsAt, effectiveEnd(source)])
    .filter((boundary): boundary is Date => boundary !== null && boundary > at);
  return ahead.length === 0 ? null : ahead.reduce((a, b) => (b < a ? b : a));
}

function isRunning(endsAt: Date | null, at: Date): boolean {
  return endsAt === null || endsAt > at;
}

function effectiveEnd(source: Source): Date | null {
  if (!source.withdrawnAt) return source.endsAt;
  return source.endsAt && source.endsAt < source.withdrawnAt ? source.endsAt : source.withdrawnAt;
}

/** The later of two ends; null is no end, which is the latest. */
export function laterEnd(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return null;
  return b > a ? b : a;
}

function endOrder(source: Source): number {
  return effectiveEnd(source)?.getTime() ?? Number.POSITIVE_INFINITY;
}
