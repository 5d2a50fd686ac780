import type { EvidenceKind } from './decide-usage.ts';

/** The addition to the row of a product, person and day. */
export type DayOfUse = {
  /** Names the row; joined once, because it is looked up often. */
  key: string;
  productId: string;
  personId: string;
  /** `YYYY-MM-DD`, in UTC. */
  day: string;
  firstKind: EvidenceKind;
  isQualifying: boolean;
  counts: Record<EvidenceKind, number>;
  firstAt: Date;
  lastAt: Date;
};

type Use = {
  productId: string;
  personId: string;
  kind: EvidenceKind;
  isQualifying: boolean;
  /** By the database's clock. */
  at: Date;
};

const NONE = { session: 0, heartbeat: 0, activity: 0, profile_read: 0 };

export function toDay({ kind, at, ...use }: Use): DayOfUse {
  const day = at.toISOString().slice(0, 10);
  const key = `${use.productId}:${use.personId}:${day}`;
  const counts = { ...NONE, [kind]: 1 };
  return { ...use, key, day, firstKind: kind, counts, firstAt: at, lastAt: at };
}

/** Merges two additions to one row, in their order. */
export function mergeDays(earlier: DayOfUse, later: DayOfUse): DayOfUse {
  const sum = (kind: EvidenceKind) => earlier.counts[kind] + later.counts[kind];
  return {
    ...earlier,
    isQualifying: earlier.isQualifying || later.isQualifying,
    counts: {
      session: sum('session'),
      heartbeat: sum('heartbeat'),
      activity: sum('activity'),
      profile_read: sum('profile_read'),
    },
    firstAt: later.firstAt < earlier.firstAt ? later.firstAt : earlier.firstAt,
    lastAt: later.lastAt > earlier.lastAt ? later.lastAt : earlier.lastAt,
  };
}
