import { LRUCache } from 'lru-cache';
import type { Database, EntityManager } from '../../platform/database/database.ts';
import { createWriteBuffer } from '../../platform/database/write-buffer.ts';
import type { Logger } from '../../platform/log.ts';
import { ago } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely } from '../kysely.ts';
import { createLogSampling, isRefusal } from './log-sampling.ts';
import {
  type Caller,
  type LoggedRequest,
  type ProductOwner,
  recordRequests,
} from './record-requests.repository.ts';
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
  database: Pick<Database, 'transaction'>,
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
      const requests = items.map(({ notedAt, ...request }) => ({
        ...request,
        ageMs: now - notedAt,
      }));
      const found = await database.transaction((em) => recordRequests(em, requests));
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

/** 2 of 2xx, 4 of 4xx, 5 of 5xx. */
export type StatusClass = 2 | 4 | 5;

export type RequestFilter = {
  statusClass: StatusClass | null;
  apiKeyId: string | null;
  clientId: string | null;
  requestId: string | null;
};

export type RequestLine = {
  id: string;
  at: Date;
  route: string;
  status: number;
  errorCode: string | null;
  /** The name of the field at fault. */
  param: string | null;
  isOwnTeam: boolean;
  requestId: string;
  /** The name of the key, even of a revoked one. */
  keyName: string | null;
  keyLastFour: string | null;
  keyMode: 'live' | 'test' | null;
  clientName: string | null;
};

/** `next` is the id of the last request shown when older ones follow. */
export type RequestPage = { lines: RequestLine[]; next: string | null };

type Search = { productId: string; filter: RequestFilter; before: string | null };

const PAGE = 50;

/** The newest first, before a given one. */
export async function searchRequests(em: EntityManager, search: Search): Promise<RequestPage> {
  const found = await selectRequests(em, search).execute();
  return toPage(found, PAGE, ({ id }) => id);
}

function selectRequests(em: EntityManager, { productId, filter, before }: Search) {
  const { statusClass, apiKeyId, clientId, requestId } = filter;
  let found = kysely(em)
    .selectFrom('apiRequest as r')
    .leftJoin('apiKey as key', 'key.id', 'r.apiKeyId')
    .leftJoin('oauthClient as client', 'client.id', 'r.clientId')
    .select(['r.id', 'r.createdAt as at', 'r.route', 'r.status', 'r.errorCode', 'r.param'])
    .select(['r.requestId', 'r.isOwnTeam'])
    .select(['key.name as keyName', 'key.lastFour as keyLastFour', 'key.mode as keyMode'])
    .select('client.name as clientName')
    .where('r.productId', '=', productId)
    .where('r.createdAt', '>', ago('7 days'));
  if (before) found = found.where('r.id', '<', before);
  if (apiKeyId) found = found.where('r.apiKeyId', '=', apiKeyId);
  if (clientId) found = found.where('r.clientId', '=', clientId);
  if (requestId) found = found.where('r.requestId', '=', requestId);
  if (statusClass) {
    found = found
      .where('r.status', '>=', statusClass * 100)
      .where('r.status', '<', statusClass * 100 + 100);
  }
  return found.orderBy('r.id', 'desc').limit(PAGE + 1);
}
