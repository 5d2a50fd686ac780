import type pg from 'pg';
import { readAccess } from '../entitlements/access.store.ts';
import { createBuffer } from '../platform/buffer.ts';
import type { Logger } from '../platform/process/log.ts';
import { addChecks, type Checks } from './check-count.store.ts';
import {
  decideUsage,
  type EvidenceKind,
  type UsageCredential,
  type UsageDecision,
  type UsageKind,
} from './decide-usage.ts';
import { createKnownDays } from './known-days.ts';
import { readUsageStanding } from './standing.store.ts';
import { addCounts, commitDay } from './usage-day.store.ts';
import { keyOfDay, mergeDays, toDay, type DayOfUse } from './usage-day.ts';

type Key = { productId: string; personId: string };
type Report = Key & { kind: UsageKind; credential: UsageCredential };

export type UsageRecorder = {
  /** Evidence is committed before this answers. */
  report(report: Report): Promise<UsageDecision>;
  /** A person's token asked about its own access; `at` is when, by the database's clock. */
  recordProfileRead(key: Key, at: Date): Promise<void>;
  /** A live key asked about somebody: analytics, never in the caller's way. */
  countCheck(key: Key): void;
  /** Writes what is still buffered. */
  close(): Promise<void>;
};

/** Of one process: what it knows to be committed, and what may wait a moment. */
export function createUsageRecorder(pool: pg.Pool, logger: Pick<Logger, 'warn'>): UsageRecorder {
  const known = createKnownDays();
  const onLoss = (lost: number) => logger.warn({ lost }, 'usage counts were lost');
  const counts = createBuffer<DayOfUse>({
    keyOf: keyOfDay,
    merge: mergeDays,
    write: (day) => addCounts(pool, day),
    onLoss,
  });
  const checks = createBuffer<Checks>({
    keyOf: ({ productId, personId }) => `${productId}:${personId}`,
    merge: (earlier, later) => ({ ...earlier, checks: earlier.checks + later.checks }),
    write: (item) => addChecks(pool, item),
    onLoss,
  });

  /** What makes the row appear or rise is committed; counts of a row that says it already may wait. */
  async function record(day: DayOfUse): Promise<void> {
    if (known.covers(day)) return counts.add(day);
    await commitDay(pool, day);
    known.remember(day);
  }

  async function decideByToken(key: Key, kind: EvidenceKind): Promise<UsageDecision> {
    const { at, isOwnTeam } = await readUsageStanding(pool, key);
    const decision = decideUsage({
      kind,
      credential: 'token',
      isOwnTeam,
      hasAccessOrSignedIn: true,
    });
    await record(toDay({ ...key, kind, at, isQualifying: decision.qualifying }));
    return decision;
  }

  async function decideByKey({ kind, credential, ...key }: Report): Promise<UsageDecision> {
    const facts = { kind, credential, isOwnTeam: false };
    if (credential === 'test_key') return decideUsage({ ...facts, hasAccessOrSignedIn: false });
    const [standing, access] = await Promise.all([
      readUsageStanding(pool, key),
      readAccess(pool, key),
    ]);
    const hasAccessOrSignedIn = standing.isSignedIn || access.isActive;
    const decision = decideUsage({ ...facts, hasAccessOrSignedIn });
    const { counted, qualifying: isQualifying } = decision;
    if (counted) await record(toDay({ ...key, kind, at: standing.at, isQualifying }));
    return decision;
  }

  return {
    report({ kind, credential, ...key }) {
      if (credential === 'token') return decideByToken(key, kind);
      return decideByKey({ ...key, kind, credential });
    },
    async recordProfileRead(key, at) {
      const day = toDay({ ...key, kind: 'profile_read', at, isQualifying: true });
      if (known.covers(day)) counts.add(day);
      else await decideByToken(key, 'profile_read');
    },
    countCheck: (key) => checks.add({ ...key, checks: 1 }),
    async close() {
      await Promise.all([counts.close(), checks.close()]);
    },
  };
}
