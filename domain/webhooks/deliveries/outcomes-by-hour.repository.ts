import { sql } from 'kysely';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW, startOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { DeliveryStatus } from './delivery.entity.ts';
import { fillSteps, type Step } from './outcomes-by-hour.ts';

// A page must not wait for counting millions.
const MAX_DELIVERIES = 20_000;

type Of = { productId: string } | { endpointId: string };

/**
 * Reads the outcomes of the last hours' or days' deliveries, of a product or an endpoint, by the time
 * of creation. `isPartial`: only the newest were counted, because there are more.
 */
export async function readOutcomes(
  em: EntityManager,
  { step, count: steps, ...of }: Of & { step: Step; count: number },
) {
  const since = sql<Date>`date_trunc(${sql.lit(step)}, ${NOW}, 'UTC') - ${`${steps - 1} ${step}s`}::interval`;
  const [column, id] =
    'endpointId' in of
      ? (['endpointId', of.endpointId] as const)
      : (['productId', of.productId] as const);
  const bin = startOf(step, 'newest.createdAt');
  const newest = kysely(em)
    .selectFrom('delivery')
    .select(['id', 'createdAt'])
    .where(column, '=', id)
    .where('createdAt', '>=', since)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_DELIVERIES);
  const counted = await kysely(em)
    .selectFrom(newest.as('newest'))
    .leftJoin('deliveryState as state', 'state.deliveryId', 'newest.id')
    .select(bin.as('at'))
    .select(({ fn }) => {
      const count = (...statuses: Exclude<DeliveryStatus, 'succeeded'>[]) =>
        fn.countAll<number>().filterWhere('state.status', '=', anyOf(statuses));
      return [
        fn.countAll<number>().filterWhere('state.status', 'is', null).as('succeeded'),
        count('pending', 'retrying').as('underWay'),
        count('dead', 'held', 'cancelled').as('failed'),
      ];
    })
    .groupBy(bin)
    .execute();
  const found = counted.map(({ underWay, ...hour }) => ({ ...hour, under_way: underWay }));
  const sum = found.reduce((n, hour) => n + hour.succeeded + hour.under_way + hour.failed, 0);
  return {
    hours: fillSteps(found, { now: await now(em), step, count: steps }),
    isPartial: sum === MAX_DELIVERIES,
  };
}

export type Outcomes = Awaited<ReturnType<typeof readOutcomes>>;
