import { isLiveAt } from '../../entitlements/memberships/membership.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { withInstants } from '../../shared/instants.ts';
import type { RequestedChange } from '../subscriptions/change-request.repository.ts';
import type { BillingInterval } from '../subscriptions/billing-interval.ts';
import type { SubscriptionStatus } from '../subscriptions/subscription-status.ts';

/** A membership as its person sees it. */
export type MembershipView = {
  membershipId: string;
  processorId: string | null;
  status: SubscriptionStatus;
  /** Asked for, and not yet confirmed by the processor. */
  requestedChange: RequestedChange | null;
  /** No terms where it was given. */
  amountMinor: number | null;
  currency: string | null;
  billingInterval: BillingInterval | null;
  periodEnd: Date | null;
  graceEndsAt: Date | null;
  cancelAt: Date | null;
  endedAt: Date | null;
  /** The membership ended and gives access until then, because its money came back. */
  servedUntil: Date | null;
};

const INSTANTS = ['periodEnd', 'graceEndsAt', 'cancelAt', 'endedAt', 'servedUntil'] as const;

type Row = Omit<MembershipView, 'amountMinor'> & { amountMinor: string | null };

const IS_LIVE = isLiveAt('gatehouse_now()');

/** Finds the running membership, else the one that is being paid for, else the last one. */
export async function findMembershipOf(
  em: EntityManager,
  personId: string,
): Promise<MembershipView | null> {
  const [row] = await rows<Row>(
    em,
    `select id as "membershipId", processor_id as "processorId", status, requested_change as "requestedChange",
       amount_minor as "amountMinor", currency, billing_interval as "billingInterval",
       period_end as "periodEnd", grace_ends_at as "graceEndsAt", cancel_at as "cancelAt",
       ended_at as "endedAt",
       case when m.status = 'ended' and ${IS_LIVE} then m.ends_at end as "servedUntil"
     from membership m where person_id = ? and (status <> 'ended' or period_end is not null)
     order by status = 'ended', status = 'incomplete', (${IS_LIVE}) is true desc, created_at desc, id desc limit 1`,
    [personId],
  );
  if (!row) return null;
  const amountMinor = row.amountMinor === null ? null : Number(row.amountMinor);
  return withInstants({ ...row, amountMinor }, INSTANTS);
}

export type IncludedProduct = { productId: string; slug: string; name: string; tagline: string };

const MOST_SHOWN = 60;

/** The Included products, the latest listed first. */
export async function listIncludedProducts(em: EntityManager): Promise<IncludedProduct[]> {
  return rows(
    em,
    `select p.id as "productId", s.slug, p.name, p.tagline
     from product p join product_slug s on s.product_id = p.id and s.is_current
     where p.state = 'listed' and p.included_with_member
     order by p.listed_at desc, p.id limit ${MOST_SHOWN}`,
  );
}
