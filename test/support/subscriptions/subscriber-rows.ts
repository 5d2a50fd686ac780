import type { TestDatabase } from '../engines/database.ts';

export type SubscriberRows = {
  productId: string;
  /** One by default; each of somebody else, and a minute older than the one before. */
  count?: number;
  status?: 'incomplete' | 'active' | 'past_due' | 'canceling' | 'ended';
  requestedChange?: 'cancel' | 'resume' | null;
  amountMinor?: number;
  currency?: string;
  billingInterval?: 'month' | 'year';
  /** The latest of them. */
  beganAt?: Date;
  periodEnd?: Date;
  endedAt?: Date;
};

const HOUR_MS = 3_600_000;

/** Subscriptions in any number, as their actors leave them; answers their ids, the latest first. */
export function createSubscriberRows({ query }: TestDatabase) {
  let made = 0;
  return async function add(rows: SubscriberRows): Promise<string[]> {
    const { productId, count = 1, status = 'active', requestedChange = null } = rows;
    const { amountMinor = 1_900, currency = 'USD', billingInterval = 'month' } = rows;
    const { beganAt = new Date(Date.now() - HOUR_MS) } = rows;
    const { periodEnd = new Date(Date.now() + HOUR_MS), endedAt = new Date() } = rows;
    const before = made;
    made += count;
    const found = await query<{ id: string }>(
      `with numbered as materialized (
         select n, gen_random_uuid() as person_id, gen_random_uuid() as checkout_id,
           lpad(($2::int + n)::text, 26, '0') as number, 'many_' || ($2::int + n) as handle,
           $3::timestamptz - (n - 1) * interval '1 minute' as began_at
         from generate_series(1, $1::int) n),
       people as (insert into person (id, handle, display_name, email)
         select person_id, handle, 'Many', handle || '@example.com' from numbered),
       terms as (select o.id as offer_id, r.id as price_id from offer o
         join price r on r.offer_id = o.id where o.product_id = $4 limit 1),
       checkouts as (insert into checkout
           (id, person_id, product_id, offer_id, price_id, amount_minor, currency, status, expires_at)
         select checkout_id, person_id, $4, offer_id, price_id, $5, $6, 'paid', began_at
         from numbered cross join terms),
       purchases as (insert into purchase
           (id, checkout_id, person_id, product_id, status, service_source, cleared_at, ask_again_at)
         select 'pay_' || number, checkout_id, person_id, $4, 'cleared', 'store', began_at, null
         from numbered)
       insert into subscription (id, purchase_id, person_id, product_id, price_id, amount_minor,
         currency, billing_interval, status, requested_change, began_at, period_end, grace_ends_at, cancel_at,
         ended_at)
       select 'sub_' || number, 'pay_' || number, person_id, $4, price_id, $5, $6, $7, $8, $9,
         case when $8 <> 'incomplete' then began_at end, $10::timestamptz,
         case when $8 = 'past_due' then $10::timestamptz end,
         case when $8 = 'canceling' then $10::timestamptz end,
         case when $8 = 'ended' then $11::timestamptz end
       from numbered cross join terms order by n returning id`,
      [
        count,
        before,
        beganAt,
        productId,
        amountMinor,
        currency,
        billingInterval,
        status,
        requestedChange,
        periodEnd,
        endedAt,
      ],
    );
    return found.map(({ id }) => id);
  };
}
