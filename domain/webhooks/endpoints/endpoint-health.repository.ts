import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { RECOVERY_DAYS } from '../recoveries/recovery.ts';

export type EndpointHealth = {
  url: string;
  events: string[];
  isDisabled: boolean;
  failingSince: Date | null;
  /** Set while the previous secret signs too. */
  previousUntil: Date | null;
};

type Row = Omit<EndpointHealth, 'failingSince' | 'previousUntil'> &
  Record<'failingSince' | 'previousUntil', Date | string | null>;

export async function listEndpointHealth(
  em: EntityManager,
  productId: string,
): Promise<EndpointHealth[]> {
  const found = await rows<Row>(
    em,
    `select url, events, disabled_at is not null as "isDisabled", failing_since as "failingSince",
       case when previous_until > gatehouse_now() then previous_until end as "previousUntil"
     from webhook_endpoint where product_id = ? and deleted_at is null order by slot`,
    [productId],
  );
  return found.map((row) => ({
    ...row,
    failingSince: row.failingSince === null ? null : new Date(row.failingSince),
    previousUntil: row.previousUntil === null ? null : new Date(row.previousUntil),
  }));
}

// The count stops here.
const MOST_COUNTED = 1_000;

/** The deliveries that a recovery may take; each count stops at a thousand. */
export async function countWaiting(
  em: EntityManager,
  productId: string,
): Promise<{ dead: number; held: number }> {
  const count = (status: string) => `(select count(*)::int from (
    select from delivery_state where product_id = ? and status = '${status}'
      and created_at >= gatehouse_now() - interval '${RECOVERY_DAYS} days'
    limit ${MOST_COUNTED}) waiting) as ${status}`;
  const [row] = await rows<{ dead: number; held: number }>(
    em,
    `select ${count('dead')}, ${count('held')}`,
    [productId, productId],
  );
  return row!;
}
