import { sql } from 'kysely';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { DeliveryStatus } from './delivery.entity.ts';
import { fillHours } from './outcomes-by-hour.ts';

// A page must not wait for counting millions.
const MAX_DELIVERIES = 20_000;

// date_trunc would take three times as long.
const HOUR = sql<Date>`date_bin('1 hour', newest.created_at, 'epoch')`;

/**
 * Reads the outcomes of the last hours' deliveries, by the hour of creation. `isPartial`: only the
 * newest were counted, because there are more.
 */
export async function readOutcomes(
  em: EntityManager,
  { productId, hours }: { productId: string; hours: number },
) {
  const since = sql<Date>`date_trunc('hour', ${NOW}, 'UTC') - ${`${hours - 1} hours`}::interval`;
  const newest = kysely(em)
    .selectFrom('delivery')
    .select(['id', 'createdAt'])
    .where('productId', '=', productId)
    .where('createdAt', '>=', since)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_DELIVERIES);
  const counted = await kysely(em)
    .selectFrom(newest.as('newest'))
    .leftJoin('deliveryState as state', 'state.deliveryId', 'newest.id')
    .select(HOUR.as('at'))
    .select(({ fn }) => {
      const count = (...statuses: Exclude<DeliveryStatus, 'succeeded'>[]) =>
        fn.countAll<number>().filterWhere('state.status', '=', anyOf(statuses));
      return [
        fn.countAll<number>().filterWhere('state.status', 'is', null).as('succeeded'),
        count('pending', 'retrying').as('underWay'),
        count('dead', 'held', 'cancelled').as('failed'),
      ];
    })
    .groupBy(HOUR)
    .execute();
  const found = counted.map(({ underWay, ...hour }) => ({ ...hour, under_way: underWay }));
  const sum = found.reduce((n, hour) => n + hour.succeeded + hour.under_way + hour.failed, 0);
  return {
    hours: fillHours(found, { now: await now(em), hours }),
    isPartial: sum === MAX_DELIVERIES,
  };
}

export type Outcomes = Awaited<ReturnType<typeof readOutcomes>>;
