import type { Database } from '../../platform/database/database.ts';
import { createWriteBuffer } from '../../platform/database/write-buffer.ts';
import type { Logger } from '../../platform/log.ts';
import { createRequestBudget, isRefusal } from './request-budget.ts';
import { recordRequests, type Caller, type LoggedRequest } from './record-requests.repository.ts';

/** A group a second: one commit, however many requests. */
const WAIT_MS = 1_000;

/** What waits while the database is slow: ten seconds of all that a process logs. */
const MOST_WAITING = 500;

export type RequestRecorder = {
  /** Never waits and never fails: what does not fit is not logged. */
  note(request: Omit<LoggedRequest, 'ageMs'>): void;
  /** Writes the rest. */
  close(): Promise<void>;
};

type Waiting = Omit<LoggedRequest, 'ageMs'> & { notedAt: number };

/** The request log of one process. */
export function createRequestRecorder(
  database: Pick<Database, 'transaction'>,
  logger: Pick<Logger, 'warn'>,
): RequestRecorder {
  const budget = createRequestBudget();
  const buffer = createWriteBuffer<Waiting>({
    keyOf: ({ requestId }) => requestId,
    merge: (earlier) => earlier,
    write(items) {
      const now = performance.now();
      const requests = items.map(({ notedAt, ...request }) => ({
        ...request,
        ageMs: now - notedAt,
      }));
      return database.transaction((em) => recordRequests(em, requests));
    },
    onLoss: (lost) => logger.warn({ lost }, 'rows of the request log were lost'),
    largest: MOST_WAITING,
    waitMs: WAIT_MS,
  });
  return {
    note(request) {
      const notedAt = performance.now();
      const named = nameOf(request.caller);
      const asked = { ...named, isRefusal: isRefusal(request.status), nowMs: notedAt };
      if (budget.takes(asked)) buffer.add({ ...request, notedAt });
    },
    close: buffer.close,
  };
}

const REFUSED_GROUPS = 16;

/** Refused credentials share few budgets: only the database tells them from made-up ones. */
function nameOf(caller: Caller): { credential: string; owner: string } {
  if ('keyId' in caller) return { credential: caller.keyId, owner: caller.productId };
  if ('clientId' in caller) {
    return { credential: caller.clientId, owner: caller.productId ?? caller.clientId };
  }
  const group = caller.refusedHash[0]! % REFUSED_GROUPS;
  return { credential: `refused ${group}`, owner: 'refused' };
}
