// Withdraws alerts whose cause ends in code that does not know of the alert.
import type { AlertKind } from '../../alerts/alert-kind.ts';
import { IS_RUNNING, isLiveAt } from '../../entitlements/access.query.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { PAYMENT_NOT_RECEIVED, UNKNOWN_PURCHASE, UNKNOWN_TYPE } from './event-type.ts';

const UUID = `case when a.subject ~ '^[0-9a-f-]{36}$' then a.subject::uuid end`;

// Payments of a purchase, of a subscription's purchase, or of a membership.
const SENT_BACK = `payment y where (y.membership_id = ${UUID} or y.purchase_id in (
    a.subject, (select purchase_id from subscription where id = a.subject)))
  and exists (select from refund r where r.payment_id = y.id and r.reason = 'not_as_agreed')`;

/** Ended, or as it was requested to be. */
const IS_CHANGED = `status in ('ended',
  case a.detail->>'change' when 'cancel' then 'canceling' else 'active' end)`;

/**
 * SQL, of an alert `a`: its cause has ended. The other kinds are withdrawn where their cause ends.
 */
const OVER = {
  // Followed, set aside, or with its purchase by now.
  event_dead_lettered: `not exists (select from processor_event e
    where e.type = a.subject and e.handled_at is null
      and e.dead_letter_reason in ('${UNKNOWN_TYPE}', '${UNKNOWN_PURCHASE}', '${PAYMENT_NOT_RECEIVED}'))`,
  change_refused: `(exists (select from subscription where id = a.subject and ${IS_CHANGED})
    or exists (select from membership where id = ${UUID} and ${IS_CHANGED}))`,
  message_dead_lettered: `not exists (select from outbox o
    where o.id::text = a.subject and o.dead_lettered_at is not null)`,
  // Served, over, or its money is back.
  member_unserved: `not exists (select from membership m where m.id = ${UUID}
    and ${isLiveAt('gatehouse_now()')} and exists (select from (
      select m.id, m.status from membership m where m.person_id = (
        select person_id from membership where id = ${UUID})) m
      where m.id <> ${UUID} and ${IS_RUNNING}))`,
  // Later refunds sent the amount.
  refund_failed: `exists (select from refund f where f.id = a.subject
    and f.amount_minor <= (select sum(r.amount_minor) from refund r
      where r.payment_id = f.payment_id and r.status = 'succeeded' and r.id <> f.id
        and r.settled_at >= a.raised_at))`,
  // All money is back. A dispute in another currency needs a person.
  amount_differs: `not jsonb_exists(a.detail, 'dispute') and exists (select from ${SENT_BACK})
    and not exists (select from ${SENT_BACK} and y.returned_minor < y.gross_minor)`,
} satisfies Partial<Record<AlertKind, string>>;

type SweptKind = keyof typeof OVER;

const SWEPT = Object.keys(OVER) as SweptKind[];

export async function withdrawOverAlerts(em: EntityManager, kinds: readonly SweptKind[] = SWEPT) {
  for (const kind of kinds) {
    await rows(
      em,
      `update alert a set resolved_at = gatehouse_now()
       where a.kind = '${kind}' and a.resolved_at is null and ${OVER[kind]}`,
    );
  }
}
