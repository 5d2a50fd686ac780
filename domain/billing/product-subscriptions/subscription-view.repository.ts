import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { withInstants } from '../../shared/instants.ts';
import type { BillingInterval } from '../subscriptions/billing-interval.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';

/** A subscription as its person sees it. */
export type SubscriptionView = {
  subscriptionId: string;
  purchaseId: string;
  processorId: string | null;
  status: SubscriptionStatus;
  /** Asked for, and not yet confirmed by the processor. */
  requestedChange: RequestedChange | null;
  amountMinor: number;
  currency: string;
  billingInterval: BillingInterval;
  periodEnd: Date | null;
  graceEndsAt: Date | null;
  cancelAt: Date | null;
  endedAt: Date | null;
  productName: string;
  slug: string;
};

const INSTANTS = ['periodEnd', 'graceEndsAt', 'cancelAt', 'endedAt'] as const;

type Row = Omit<SubscriptionView, 'amountMinor'> & { amountMinor: string };

// A subscription that was never paid for is shown as a purchase that came to nothing.
const VIEW = `
  select s.id as "subscriptionId", s.purchase_id as "purchaseId", s.processor_id as "processorId",
    s.status, s.requested_change as "requestedChange", s.amount_minor as "amountMinor", s.currency,
    s.billing_interval as "billingInterval", s.period_end as "periodEnd",
    s.grace_ends_at as "graceEndsAt", s.cancel_at as "cancelAt", s.ended_at as "endedAt",
    r.name as "productName", g.slug
  from subscription s join purchase p on p.id = s.purchase_id and p.cleared_at is not null
  join product r on r.id = s.product_id
  join product_slug g on g.product_id = r.id and g.is_current
  where s.person_id = ?`;

/** Null for a subscription of another person. */
export async function findSubscriptionOf(
  em: EntityManager,
  key: { personId: string; subscriptionId: string },
): Promise<SubscriptionView | null> {
  const sql = `${VIEW} and s.id = ?`;
  const [row] = await rows<Row>(em, sql, [key.personId, key.subscriptionId]);
  return row ? present(row) : null;
}

/** Running subscriptions, the latest first. */
export async function listRunningOf(
  em: EntityManager,
  personId: string,
): Promise<SubscriptionView[]> {
  const sql = `${VIEW} and s.status <> 'ended' order by s.id desc limit 100`;
  return (await rows<Row>(em, sql, [personId])).map(present);
}

/** The subscriptions of the given purchases, ended ones included. */
export async function listSubscriptionsAmong(
  em: EntityManager,
  { personId, purchaseIds }: { personId: string; purchaseIds: string[] },
): Promise<SubscriptionView[]> {
  const sql = `${VIEW} and s.purchase_id = any(?::text[])`;
  return (await rows<Row>(em, sql, [personId, toArrayParameter(purchaseIds)])).map(present);
}

function present(row: Row): SubscriptionView {
  return withInstants({ ...row, amountMinor: Number(row.amountMinor) }, INSTANTS);
}
