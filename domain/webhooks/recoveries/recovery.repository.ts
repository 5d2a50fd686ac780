import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { Recovery } from './recovery.entity.ts';
import { MOST_RECOVERED, type Recoverable } from './recovery.ts';

export type RecoveryFilter = {
  productId: string;
  endpointId: string | null;
  eventName: string | null;
  statuses: readonly Recoverable[];
  since: Date;
  /** Is null for a period until now. */
  until: Date | null;
};

type Place = { at: Date; id: string };
type Bounds = { after: Place | null; limit: number };

/**
 * The deliveries of a filter, the oldest first, after the last one that was looked at. Each status
 * is a walk along the index of the states. Deliveries of a closed endpoint are left alone.
 */
export function selectRecoverable(
  em: EntityManager,
  filter: RecoveryFilter,
  { after, limit }: Bounds,
) {
  const { productId, endpointId, eventName, statuses, since, until } = filter;
  const wanted = sql<{ status: Recoverable }>`unnest(${statuses}::text[])`;
  return kysely(em)
    .selectFrom(wanted.as<'wanted'>(sql`wanted(status)`))
    .innerJoinLateral(
      ({ selectFrom }) => {
        let found = selectFrom('deliveryState as state')
          .innerJoin('delivery', 'delivery.id', 'state.deliveryId')
          .innerJoin('webhookEndpoint as endpoint', 'endpoint.id', 'state.endpointId')
          .select(['state.deliveryId as id', 'state.createdAt as at'])
          .where('endpoint.disabledAt', 'is', null)
          .where('endpoint.deletedAt', 'is', null)
          .where('state.productId', '=', productId)
          .whereRef('state.status', '=', 'wanted.status')
          .where('state.createdAt', '>=', since)
          .where('state.createdAt', '<=', NOW);
        if (until) found = found.where('state.createdAt', '<=', until);
        if (endpointId) found = found.where('state.endpointId', '=', endpointId);
        if (eventName) found = found.where('delivery.eventName', '=', eventName);
        if (after) {
          found = found.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('state.createdAt', 'state.deliveryId'), '>', tuple(after.at, after.id)),
          );
        }
        return found
          .orderBy('state.createdAt')
          .orderBy('state.deliveryId')
          .limit(limit)
          .as('found');
      },
      (join) => join.onTrue(),
    )
    .select(['found.id', 'found.at'])
    .orderBy('found.at')
    .orderBy('found.id')
    .limit(limit);
}

/** Begins a recovery. False while another one of the product runs: a partial unique index decides. */
export async function insertRecovery(
  em: EntityManager,
  {
    id,
    startedBy,
    total,
    ...filter
  }: RecoveryFilter & { id: string; startedBy: string; total: number },
): Promise<boolean> {
  const { until } = filter;
  const started = await kysely(em)
    .insertInto('recovery')
    .values(({ fn, val }) => ({
      id,
      ...filter,
      statuses: [...filter.statuses],
      until: until ? fn<Date>('least', [val(until), NOW]) : NOW,
      total,
      startedBy,
    }))
    .onConflict((conflict) =>
      conflict
        .column('productId')
        .where('status', '=', sql.lit('running' as const))
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  return started !== undefined;
}

/** The number that the filter finds, up to the limit of one recovery. */
export async function countRecoverable(em: EntityManager, filter: RecoveryFilter): Promise<number> {
  const found = selectRecoverable(em, filter, { after: null, limit: MOST_RECOVERED });
  const { n } = await kysely(em)
    .selectFrom(found.as('found'))
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

export async function hasRunningRecovery(em: EntityManager, productId: string): Promise<boolean> {
  return (await em.count(Recovery, { productId, status: 'running' })) > 0;
}

/**
 * Queues deliveries of a recovery. A dead one gets a new group by its own workflow, as by Retry. A held
 * one returns to the dispatcher, as a new group when it was tried before, so that its attempts stay
 * apart.
 */
export async function queueFound(
  em: EntityManager,
  { statuses, deliveryIds }: { statuses: readonly Recoverable[]; deliveryIds: readonly string[] },
): Promise<{ deliveryId: string; run: number; status: DeliveryStatus }[]> {
  return kysely(em)
    .updateTable('deliveryState as d')
    .from('webhookEndpoint as e')
    .set(({ eb, lit, or }) => {
      const wasTried = or([eb('d.status', '=', 'dead'), eb('d.step', '>', 0)]);
      return {
        status: eb
          .case()
          .when('d.status', '=', 'dead')
          .then('retrying' as const)
          .else('pending' as const)
          .end(),
        run: eb('d.run', '+', eb.case().when(wasTried).then(lit(1)).else(lit(0)).end()),
        step: 0,
        dueAt: NOW,
        finishedAt: null,
        cohort: null,
      };
    })
    .where('d.deliveryId', '=', anyOf(deliveryIds))
    .where('d.status', '=', anyOf(statuses))
    .whereRef('e.id', '=', 'd.endpointId')
    .where('e.disabledAt', 'is', null)
    .where('e.deletedAt', 'is', null)
    .returning(['d.deliveryId', 'd.run', 'd.status'])
    .execute();
}

const recoveriesOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('recovery as r')
    .innerJoin('person', 'person.id', 'r.startedBy')
    .leftJoin('webhookEndpoint as endpoint', 'endpoint.id', 'r.endpointId')
    .select(['r.id as recoveryId', 'endpoint.url', 'r.eventName', 'r.since', 'r.until'])
    .select([
      'r.statuses',
      'r.total',
      'r.done',
      'r.queued',
      'r.status',
      'person.handle as startedByHandle',
    ])
    .select(['r.createdAt', 'r.finishedAt'])
    .where('r.productId', '=', productId);

/** Lists the newest first; one without a URL is of all endpoints. */
export async function listRecoveries(em: EntityManager, productId: string) {
  return recoveriesOf(em, productId)
    .orderBy('r.createdAt', 'desc')
    .orderBy('r.id', 'desc')
    .limit(50)
    .execute();
}

export type RecoveryView = Awaited<ReturnType<typeof listRecoveries>>[number];

export async function findRecovery(
  em: EntityManager,
  { productId, recoveryId }: { productId: string; recoveryId: string },
) {
  const found = await recoveriesOf(em, productId).where('r.id', '=', recoveryId).executeTakeFirst();
  return found ?? null;
}
