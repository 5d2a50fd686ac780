import type { EntityManager } from '../../platform/database/database.ts';
import { ago } from '../../platform/database/expressions.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely } from '../kysely.ts';

/** 2 of 2xx, 4 of 4xx, 5 of 5xx. */
export type StatusClass = 2 | 4 | 5;

export type RequestFilter = {
  statusClass: StatusClass | null;
  apiKeyId: string | null;
  clientId: string | null;
  requestId: string | null;
};

type Search = {
  productId: string;
  filter: RequestFilter;
  before: string | null;
  /** The most of a page. */
  limit?: number;
};

export const ANY_REQUEST: RequestFilter = {
  statusClass: null,
  apiKeyId: null,
  clientId: null,
  requestId: null,
};

const PAGE = 50;

/**
 * The newest first, before a given one; `next` is the id of the last request shown when older ones
 * follow. The name of a key is there even when the key is revoked.
 */
export async function searchRequests(em: EntityManager, search: Search) {
  const found = await selectRequests(em, search).execute();
  return toPage(found, search.limit ?? PAGE, ({ id }) => id);
}

export type RequestPage = Awaited<ReturnType<typeof searchRequests>>;
export type RequestLine = RequestPage['lines'][number];

function selectRequests(em: EntityManager, search: Search) {
  const { productId, filter, before, limit = PAGE } = search;
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
  return found.orderBy('r.id', 'desc').limit(limit + 1);
}
