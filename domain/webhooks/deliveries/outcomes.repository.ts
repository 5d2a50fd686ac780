import { now, rows, type EntityManager } from '../../../platform/database/database.ts';
import { fillHours, type HourOfOutcomes } from './outcomes.ts';

export type Outcomes = {
  hours: HourOfOutcomes[];
  /** Only the newest were counted, because there are more. */
  isPartial: boolean;
};

// A page must not wait for counting millions. date_trunc would take three times as long.
const LOOKED_AT = 20_000;

/** Outcomes of the last hours' deliveries, by the hour of creation. */
export async function readOutcomes(
  em: EntityManager,
  { productId, hours }: { productId: string; hours: number },
): Promise<Outcomes> {
  const counted = await rows<HourOfOutcomes & { at: Date | string }>(
    em,
    `select date_bin('1 hour', created_at, 'epoch') as at,
       count(*) filter (where status = 'succeeded')::int as succeeded,
       count(*) filter (where status in ('pending', 'retrying'))::int as under_way,
       count(*) filter (where status in ('dead', 'held', 'cancelled'))::int as failed
     from (
       select newest.created_at, coalesce(status, 'succeeded') as status from (
         select id, created_at from delivery
         where product_id = ? and created_at >= date_trunc('hour', gatehouse_now(), 'UTC')
           - ? * interval '1 hour'
         order by created_at desc, id desc limit ${LOOKED_AT}
       ) newest left join delivery_state on delivery_id = id
     ) counted group by 1`,
    [productId, hours - 1],
  );
  const found = counted.map((hour) => ({ ...hour, at: new Date(hour.at) }));
  const sum = found.reduce((n, hour) => n + hour.succeeded + hour.under_way + hour.failed, 0);
  return {
    hours: fillHours(found, { now: await now(em), hours }),
    isPartial: sum === LOOKED_AT,
  };
}
