// What the processor's books, our books and the events say of one person and one product.
import type { TestDatabase } from '../engines/database.ts';

type Key = { personId: string; productId: string };

export type Charge = {
  intentId: string;
  gross: number;
  refunded: number;
  lost: number;
  /** Null where we know nothing of it. */
  paymentId: string | null;
  purchaseId: string | null;
  membershipId: string | null;
  bookedAt: Date | null;
  /** How often it was booked, and what the ledger says of its buyer. */
  bookings: number;
  buyer: number;
  isRenewal: boolean;
  /** It was never an order: we sent it back ourselves. */
  isSentBack: boolean;
  /** The bank has a say in it, or its refund came back: a human was told. */
  isTroubled: boolean;
  /** It has paid for this moment. */
  isCurrent: boolean;
  isWaiting: boolean;
};

const CHARGES = `
  select i.id as "intentId", s.amount::int as gross,
    (select coalesce(sum(r.amount), 0)::int from simulator.refund r
      where r.intent_id = i.id and r.status <> 'failed') as refunded,
    (select coalesce(sum(d.amount), 0)::int from simulator.dispute d
      where d.intent_id = i.id and d.status = 'lost') as lost,
    y.id as "paymentId", y.purchase_id as "purchaseId", y.membership_id as "membershipId", y.created_at as "bookedAt",
    (select count(*)::int from ledger_entry l
      where l.payment_id = y.id and l.account = 'buyer' and l.kind = 'gross') as bookings,
    (select coalesce(sum(l.amount_minor), 0)::int from ledger_entry l
      where l.payment_id = y.id and l.account = 'buyer') as buyer,
    i.is_renewal as "isRenewal",
    exists (select from refund r where r.payment_id = y.id and r.reason = 'not_as_agreed')
      as "isSentBack",
    exists (select from refund r where r.payment_id = y.id and r.status in ('failed', 'reversed'))
      or exists (select from dispute d where d.payment_id = y.id) as "isTroubled",
    coalesce(y.period_start <= gatehouse_now() and y.period_end > gatehouse_now(),
      y.subscription_id is null and y.membership_id is null) as "isCurrent",
    exists (select from refund r where r.payment_id = y.id
      and r.status in ('requested', 'submitted')) as "isWaiting"
  from simulator.payment_intent i join simulator.checkout_session s on s.id = i.session_id
  left join payment y on y.processor_id = i.id
  where i.session_id = any($1) and i.status = 'succeeded' order by i.created_at, i.id`;

export type Renewed = {
  /** Of the purchase that began it, or of the membership. */
  payer: string;
  status: string;
  isClosing: boolean;
  /** As the processor has it; null where it never made one. */
  processorStatus: string | null;
  /** Paid for, or in grace. */
  isInTime: boolean;
};

const RENEWED = `
  select r.payer, r.status, r.is_closing as "isClosing", b.status as "processorStatus",
    coalesce(r.period_end + interval '8 days' > gatehouse_now(), false) as "isInTime"
  from (
    select purchase_id as payer, status, is_closing, processor_id, period_end from subscription
      where person_id = $1 and product_id = $2
    union all
    select id::text, status, is_closing, processor_id, period_end from membership
      where person_id = $1) r
  left join simulator.subscription b on b.id = r.processor_id`;

export type FailedRenewals = {
  purchaseId: string;
  /** The tries of renewals that the processor made without success. */
  tries: number;
  /** Of those, the tries for the bill that is unpaid now. */
  current: number;
  /** It runs, in grace. */
  isInGrace: boolean;
};

const FAILED_RENEWALS = `
  select s.purchase_id as "purchaseId",
    sum(i.attempts - (i.status = 'paid')::int)::int as tries,
    coalesce(max(i.attempts) filter (where i.status = 'open'), 0)::int as current,
    s.status <> 'ended' and s.grace_ends_at is not null as "isInGrace"
  from subscription s join simulator.invoice i on i.subscription_id = s.processor_id and i.period > 0
  where s.person_id = $1 and s.product_id = $2 group by s.id`;

export type LiveSource = {
  source: string;
  type: string;
  endsAt: Date | null;
  /** A membership that the product was never opened with is told to nobody. */
  isTold: boolean;
};

const SOURCES = `
  select source, type, ends_at as "endsAt", true as "isTold" from access_grant
    where person_id = $1 and product_id = $2 and withdrawn_at is null
      and starts_at <= gatehouse_now() and (ends_at is null or ends_at > gatehouse_now())
  union all
  select m.id::text, 'member', m.ends_at, exists (select from membership_activation o
      where o.membership_id = m.id and o.product_id = $2 and o.closed_at is null)
    from membership m where m.person_id = $1 and m.withdrawn_at is null
      and exists (select from product where id = $2 and included_with_member)
      and (m.status in ('active', 'past_due', 'canceling') and m.ends_at is null
        or m.ends_at > gatehouse_now())`;

const UNBALANCED = `
  select l.currency, sum(l.amount_minor) from payment y join ledger_entry l on l.payment_id = y.id
  where y.purchase_id in (select id from purchase where person_id = $1 and product_id = $2)
    or y.membership_id in (select id from membership where person_id = $1)
  group by l.currency having sum(l.amount_minor) <> 0`;

export type Told = { name: string; data: Record<string, unknown> };

/** All of it at one moment, once everything was heard and followed. */
export async function readFacts(
  { query }: Pick<TestDatabase, 'query'>,
  { personId, productId, sessions }: Key & { sessions: string[] },
) {
  const key = [personId, productId];
  const [left] = await query<{ unhandled: number; untold: number }>(
    `select (select count(*)::int from processor_event e where e.handled_at is null and (
        e.purchase_id in (select id from purchase where person_id = $1 and product_id = $2)
        or e.membership_id in (select id from membership where person_id = $1))) as unhandled,
      (select count(*)::int from membership_change c join membership m on m.id = c.membership_id
        where m.person_id = $1 and c.notified_at is null) as untold`,
    key,
  );
  const [announced] = await query<{ isActive: boolean; endsAt: Date | null }>(
    `select announced_active as "isActive", announced_ends_at as "endsAt" from entitlement
     where person_id = $1 and product_id = $2`,
    key,
  );
  return {
    ...left!,
    announced: announced ?? { isActive: false, endsAt: null },
    charges: await query<Charge>(CHARGES, [sessions]),
    renewed: await query<Renewed>(RENEWED, key),
    failed: await query<FailedRenewals>(FAILED_RENEWALS, key),
    sources: await query<LiveSource>(SOURCES, key),
    purchases: await query<{ id: string; status: string; wasCleared: boolean; isOnce: boolean }>(
      `select p.id, p.status, p.cleared_at is not null as "wasCleared",
         not exists (select from subscription s where s.purchase_id = p.id) as "isOnce"
       from purchase p where p.person_id = $1 and p.product_id = $2`,
      key,
    ),
    unbalanced: await query<{ currency: string }>(UNBALANCED, key),
    told: await query<Told>(
      'select name, data from event where product_id = $1 order by created_at, id',
      [productId],
    ),
  };
}

export type Facts = Awaited<ReturnType<typeof readFacts>>;
