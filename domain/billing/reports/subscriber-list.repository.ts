import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { withInstants } from '../../shared/instants.ts';
import type { BillingInterval } from '../subscriptions/billing-interval.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';
import type { Selection } from './metrics.query.ts';

/** A subscription as its seller sees it. */
export type Subscriber = {
  subscriptionId: string;
  purchaseId: string;
  handle: string;
  status: SubscriptionStatus;
  requestedChange: RequestedChange | null;
  amountMinor: number;
  currency: string;
  billingInterval: BillingInterval;
  beganAt: Date;
  /** The end of the last paid period; null until the processor has reported it. */
  periodEnd: Date | null;
  graceEndsAt: Date | null;
  cancelAt: Date | null;
  endedAt: Date | null;
};

export type SubscriberSearch = {
  productId: string;
  status: SubscriptionStatus | null;
  /** Subscriptions that began before this one. */
  before: string | null;
  limit: number;
};

const PLACE = `(s.began_at, s.id) < (
  select began_at, id from subscription where product_id = ? and id = ?)`;

/** SQL: paid subscriptions, the latest first. */
export function selectSubscribers(search: SubscriberSearch): Selection {
  const { productId, status, before, limit } = search;
  const sql = `select s.id as "subscriptionId", s.purchase_id as "purchaseId", o.handle, s.status,
      s.requested_change as "requestedChange", s.amount_minor as "amountMinor", s.currency,
      s.billing_interval as "billingInterval", s.began_at as "beganAt",
      s.period_end as "periodEnd", s.grace_ends_at as "graceEndsAt", s.cancel_at as "cancelAt",
      s.ended_at as "endedAt"
    from (
      select s.* from subscription s where s.product_id = ? and s.began_at is not null
        ${status === null ? '' : 'and s.status = ?'} ${before === null ? '' : `and ${PLACE}`}
      order by s.began_at desc, s.id desc limit ?
    ) s join person o on o.id = s.person_id
    order by s.began_at desc, s.id desc`;
  const place = before === null ? [] : [productId, before];
  return { sql, values: [productId, ...(status === null ? [] : [status]), ...place, limit] };
}

const PAGE = 50;

/** A page of a product's subscriptions; `next` is the id of the last one when others follow. */
export async function listSubscribers(
  em: EntityManager,
  search: Omit<SubscriberSearch, 'limit'>,
): Promise<{ subscribers: Subscriber[]; next: string | null }> {
  const found = await find(em, { ...search, limit: PAGE + 1 });
  const subscribers = found.slice(0, PAGE);
  return { subscribers, next: found.length > PAGE ? subscribers.at(-1)!.subscriptionId : null };
}

const BATCH = 1_000;

/** Reads all subscriptions batch by batch: a slow reader keeps no transaction open. */
export async function* readSubscribers(
  em: () => EntityManager,
  search: Omit<SubscriberSearch, 'limit' | 'before'>,
): AsyncGenerator<Subscriber[]> {
  let before: string | null = null;
  for (;;) {
    const found: Subscriber[] = await find(em(), { ...search, before, limit: BATCH });
    yield found;
    if (found.length < BATCH) return;
    before = found.at(-1)!.subscriptionId;
  }
}

const INSTANTS = ['beganAt', 'periodEnd', 'graceEndsAt', 'cancelAt', 'endedAt'] as const;

type Row = Omit<Subscriber, 'amountMinor'> & { amountMinor: string };

async function find(em: EntityManager, search: SubscriberSearch): Promise<Subscriber[]> {
  const { sql, values } = selectSubscribers(search);
  return (await rows<Row>(em, sql, values)).map((row) =>
    withInstants({ ...row, amountMinor: Number(row.amountMinor) }, INSTANTS),
  );
}
