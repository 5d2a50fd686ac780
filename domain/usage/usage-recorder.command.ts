import type pg from 'pg';
import type { KeyMode } from '../catalog/keys/api-key.repository.ts';
import { createKeyUse } from '../catalog/keys/key-use.query.ts';
import { readAccess } from '../entitlements/access.query.ts';
import { readSignedIn } from '../oauth/tokens/token-principal.query.ts';
import { createWriteBuffer } from '../../platform/database/write-buffer.ts';
import type { Logger } from '../../platform/log.ts';
import { appendChecks, type Checks } from './check-count.query.ts';
import {
  decideByToken,
  decideUsage,
  type EvidenceKind,
  type UsageDecision,
  type UsageKind,
} from './decide-usage.ts';
import { createKnownDays } from './committed-marks-cache.ts';
import { commitEvidence } from './record-evidence.query.ts';
import { toEvidence, type Evidence } from './evidence-marks.ts';

type Key = { productId: string; personId: string };

/** The person of a token, as it was looked up. */
type TokenUser = Key & { isOwnTeam: boolean; at: Date };

/** A person named by a product. */
type NamedPerson = Key & { mode: KeyMode };

export type UsageRecorder = {
  /** Evidence is committed before this returns. */
  recordByToken(user: TokenUser, kind: EvidenceKind): Promise<UsageDecision>;
  recordByKey(named: NamedPerson, kind: UsageKind): Promise<UsageDecision>;
  /** A live key's check: analytics, never in the caller's way. */
  countCheck(check: Omit<Checks, 'checks' | 'openChecks'> & { isOpen: boolean }): void;
  /** Notes when a key was last used, to the minute, and never in the caller's way. */
  noteKey(keyId: string): void;
  /** Writes the rest of the buffers. */
  close(): Promise<void>;
};

/** The recorder of one process: what it knows to be committed, and what may wait a moment. */
export function createUsageRecorder(pool: pg.Pool, logger: Pick<Logger, 'warn'>): UsageRecorder {
  const known = createKnownDays();
  const onLoss = (lost: number) => logger.warn({ lost }, 'usage counts were lost');
  const keys = createKeyUse(pool, onLoss);
  const checks = createWriteBuffer<Checks>({
    keyOf: ({ productId, personId }) => `${productId}:${personId}`,
    merge: (earlier, later) => ({
      ...earlier,
      checks: earlier.checks + later.checks,
      openChecks: earlier.openChecks + later.openChecks,
    }),
    write: (items) => appendChecks(pool, items),
    onLoss,
  });

  /** A new mark is committed; what the row has already needs no write. */
  async function record(evidence: Evidence): Promise<void> {
    if (known.covers(evidence)) return;
    await commitEvidence(pool, evidence);
    known.remember(evidence);
  }

  return {
    async recordByToken({ productId, personId, isOwnTeam, at }, kind) {
      const decision = decideByToken(kind, isOwnTeam);
      const isQualifying = decision.qualifying;
      await record(toEvidence({ productId, personId, kind, at, isByKey: false, isQualifying }));
      return decision;
    },
    async recordByKey({ mode, ...key }, kind) {
      const isOwnTeam = false;
      if (mode === 'test') {
        // It reads nothing, as it writes nothing.
        return decideUsage({ kind, credential: 'test_key', isOwnTeam, hasAccessOrSignedIn: false });
      }
      const [{ isSignedIn, at }, access] = await Promise.all([
        readSignedIn(pool, key),
        readAccess(pool, key),
      ]);
      const hasAccessOrSignedIn = isSignedIn || access.isActive;
      const decision = decideUsage({
        kind,
        credential: 'live_key',
        isOwnTeam,
        hasAccessOrSignedIn,
      });
      const isQualifying = decision.qualifying;
      if (decision.counted) {
        await record(toEvidence({ ...key, kind, at, isByKey: true, isQualifying }));
      }
      return decision;
    },
    countCheck: ({ productId, personId, isKnown, isOpen }) =>
      checks.add({ productId, personId, isKnown, checks: 1, openChecks: isOpen ? 1 : 0 }),
    noteKey: keys.note,
    async close() {
      await Promise.all([checks.close(), keys.close()]);
    },
  };
}
