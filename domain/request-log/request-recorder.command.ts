import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/database/database.ts';
import { createWriteBuffer } from '../../platform/database/write-buffer.ts';
import type { Logger } from '../../platform/log.ts';
import { createLogSampling, isRefusal } from './log-sampling.ts';
import {
  type Caller,
  type LoggedRequest,
  type ProductOwner,
  recordRequests,
} from './record-requests.command.ts';
import { MINUTE_MS } from '../shared/instant.ts';

/** A group a second: one commit, however many requests. */
const WAIT_MS = 1_000;

/** What waits while the database is slow: ten seconds of all that a process logs. */
const MOST_WAITING = 500;

const MOST_KNOWN = 10_000;

export type RequestRecorder = {
  /** Never waits and never fails: what does not fit is not logged. */
  note(request: Omit<LoggedRequest, 'ageMs'>): void;
  /** Writes the rest. */
  close(): Promise<void>;
};

type Waiting = Omit<LoggedRequest, 'ageMs'> & { notedAt: number };

/** The request log of one process. */
export function createRequestRecorder(
  database: Pick<Database, 'em'>,
  logger: Pick<Logger, 'warn'>,
): RequestRecorder {
  const budget = createLogSampling();
  // No request pays for a look-up of its owner: the statements that log one learn it for the next.
  const owners = new LRUCache<string, ProductOwner>({ max: MOST_KNOWN, ttl: MINUTE_MS });
  const buffer = createWriteBuffer<Waiting>({
    keyOf: ({ requestId }) => requestId,
    merge: (earlier) => earlier,
    async write(items) {
      const now = performance.now();
      const requests = items.map(({ notedAt, ...noted }) => ({ ...noted, ageMs: now - notedAt }));
      const found = await recordRequests(database.em(), requests);
      for (const [id, owner] of found) owners.set(id, owner);
    },
    onLoss: (lost) => logger.warn({ lost }, 'rows of the request log were lost'),
    largest: MOST_WAITING,
    waitMs: WAIT_MS,
  });
  return {
    note(request) {
      const notedAt = performance.now();
      const { credential, belongsTo } = nameOf(request.caller);
      const { ownerId: owner, isDraft } = owners.get(belongsTo) ?? {
        ownerId: belongsTo,
        isDraft: false,
      };
      const asked = { credential, owner, isDraft, isRefusal: isRefusal(request.status) };
      if (budget.takes({ ...asked, nowMs: notedAt })) buffer.add({ ...request, notedAt });
    },
    close: buffer.close,
  };
}

const REFUSED_GROUPS = 16;

/** Refused credentials share few budgets: only the database tells them from made-up ones. */
function nameOf(caller: Caller): { credential: string; belongsTo: string } {
  if ('keyId' in caller) return { credential: caller.keyId, belongsTo: caller.productId };
  if ('clientId' in caller) {
    return { credential: caller.clientId, belongsTo: caller.productId ?? caller.clientId };
  }
  const group = caller.refusedHash[0]! % REFUSED_GROUPS;
  return { credential: `refused ${group}`, belongsTo: 'refused' };
}
