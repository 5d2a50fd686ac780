import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';
import type { DeliveryStatus } from './delivery.entity.ts';
import { deliveries } from './delivery.repository.ts';

export type DeliveryFilter = {
  status?: DeliveryStatus | null;
  eventName?: string | null;
  endpointId?: string | null;
  since?: Date | null;
  until?: Date | null;
};

type Search = {
  productId: string;
  filter: DeliveryFilter;
  before: string | null;
  /** The most of a page. */
  limit?: number;
};
type Place = { at: Date; id: string };

const PAGE = 25;

/**
 * Lists the newest first, before a given one; each row has its place by instant and id, and the
 * duration of its last attempt. `next` is the id of the last delivery shown when older ones follow.
 */
export async function searchDeliveries(em: EntityManager, search: Search) {
  const { productId, filter, before, limit = PAGE } = search;
  const place = before === null ? null : await findPlace(em, { productId, id: before });
  const found = await selectDeliveries(em, { productId, filter, place, limit }).execute();
  return toPage(found, limit, ({ deliveryId }) => deliveryId);
}

export type DeliveryPage = Awaited<ReturnType<typeof searchDeliveries>>;
export type DeliveryLine = DeliveryPage['lines'][number];

/** Whether an endpoint of the product ever took a delivery, as far as deliveries are kept. */
export async function hasDelivered(em: EntityManager, productId: string): Promise<boolean> {
  const delivered = kysely(em)
    .selectFrom('delivery as d')
    .leftJoin('deliveryState as s', 's.deliveryId', 'd.id')
    .select('d.id')
    .where('d.productId', '=', productId)
    .where('s.deliveryId', 'is', null);
  const { found } = await kysely(em)
    .selectNoFrom(({ exists }) => exists(delivered).$castTo<boolean>().as('found'))
    .executeTakeFirstOrThrow();
  return found;
}

async function findPlace(
  em: EntityManager,
  { productId, id }: { productId: string; id: string },
): Promise<Place | null> {
  const place = await kysely(em)
    .selectFrom('delivery')
    .select(['createdAt as at', 'id'])
    .where('id', '=', id)
    .where('productId', '=', productId)
    .executeTakeFirst();
  return place ?? null;
}

type PlacedSearch = Omit<Search, 'before'> & { place: Place | null };

/** One page and one row more, by a walk along the index that fits the filter. */
export function selectDeliveries(em: EntityManager, search: PlacedSearch) {
  return deliveries(em)
    .selectFrom(selectIds(em, search).as('found'))
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('deliveryNow').selectAll().whereRef('id', '=', 'found.id').offset(0).as('d'),
      (join) => join.onTrue(),
    )
    .innerJoin('webhookEndpoint as e', 'e.id', 'd.endpointId')
    .select(['d.id as deliveryId', 'd.eventName', 'd.endpointId', 'e.url', 'd.status'])
    .select(['d.lastStatusCode', 'd.lastError', 'd.createdAt', 'd.dueAt', 'd.isExample'])
    .select(({ fn, selectFrom }) => {
      const attempts = selectFrom('attempt').whereRef('deliveryId', '=', 'd.id');
      return [
        attempts.select(fn.countAll<number>().as('n')).$asScalar().$notNull().as('attempts'),
        attempts
          .select('durationMs')
          .orderBy('run', 'desc')
          .orderBy('step', 'desc')
          .limit(1)
          .as('durationMs'),
      ];
    })
    .orderBy('d.createdAt', 'desc')
    .orderBy('d.id', 'desc');
}

// Succeeded deliveries are the most and have no state: for every other status the states are read.
function selectIds(em: EntityManager, search: PlacedSearch) {
  const { productId, filter, place, limit = PAGE } = search;
  const { status, eventName, endpointId, since, until } = filter;
  const isByState = status && status !== 'succeeded';
  const walked = isByState ? 's' : 'd';
  const [id, createdAt] = [isByState ? 's.deliveryId' : 'd.id', `${walked}.createdAt`] as const;
  let found = kysely(em)
    .selectFrom('delivery as d')
    .leftJoin('deliveryState as s', 's.deliveryId', 'd.id')
    .select('d.id')
    .where(`${walked}.productId`, '=', productId);
  if (status === 'succeeded') found = found.where('s.deliveryId', 'is', null);
  else if (status) found = found.where('s.status', '=', status);
  if (eventName) found = found.where('d.eventName', '=', eventName);
  if (endpointId) found = found.where(`${walked}.endpointId`, '=', endpointId);
  if (since) found = found.where(createdAt, '>=', since);
  if (until) found = found.where(createdAt, '<', until);
  if (place) {
    found = found.where(({ eb, refTuple, tuple }) =>
      eb(refTuple(createdAt, id), '<', tuple(place.at, place.id)),
    );
  }
  return found
    .orderBy(createdAt, 'desc')
    .orderBy(id, 'desc')
    .limit(limit + 1);
}
