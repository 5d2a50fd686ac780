import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  membershipActor,
  purchaseActor,
  subscriptionActor,
  type Actor,
} from '../../outbox/actors.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { sendToActor } from '../../outbox/outbox.repository.ts';
import { HAS_OPEN_DISPUTE } from '../disputes/dispute-list.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { PAYMENT_NOT_RECEIVED, UNKNOWN_PURCHASE } from './event-type.ts';
import { decideAskAgainMs, decideStuck } from './reconcile-schedule.ts';

const AT_ONCE = 100;

type Due = { purchaseId: string; status: PurchaseStatus; ageMs: number; hasOldEvent: boolean };

/**
 * Wakes the workflows of purchases whose time has come, the longest waiting first. `ask_again_at`
 * is the cursor: the statement that takes a purchase moves it an hour on, and the reading sets it
 * anew. So neither a repeated batch nor a second reconciliation asks twice. True when more wait.
 */
export async function askAgain(em: EntityManager): Promise<{ asked: number; hasMore: boolean }> {
  const due = await rows<Due>(
    em,
    `update purchase p set ask_again_at = gatehouse_now() + interval '1 hour'
     from (select id from purchase where ask_again_at <= gatehouse_now()
       order by ask_again_at, id limit ${AT_ONCE} for update skip locked) due
     where p.id = due.id
     returning p.id as "purchaseId", p.status,
       (extract(epoch from gatehouse_now() - p.created_at) * 1000)::float as "ageMs",
       exists (select from processor_event e where e.purchase_id = p.id and e.handled_at is null
         and e.dead_letter_reason is null
         and e.received_at <= gatehouse_now() - interval '1 day') as "hasOldEvent"`,
  );
  for (const { purchaseId } of due) {
    await sendToActor(em, purchaseActor(purchaseId), { kind: 'reconcile' });
  }
  for (const each of due) {
    const kind = decideStuck(each);
    const { purchaseId: subject, status } = each;
    if (kind) await raiseAlert(em, { kind, subject, detail: { status } });
  }
  return { asked: due.length, hasMore: due.length === AT_ONCE };
}

/** The same for subscriptions. A subscription that the processor never made is not asked about. */
export async function askSubscriptionsAgain(
  em: EntityManager,
): Promise<{ asked: number; hasMore: boolean }> {
  const next = `case when processor_id is not null then ${HOUR_ON} end`;
  return askRenewedAgain(em, { table: 'subscription', actorOf: subscriptionActor, next });
}

/** The same for memberships. */
export async function askMembershipsAgain(
  em: EntityManager,
): Promise<{ asked: number; hasMore: boolean }> {
  return askRenewedAgain(em, { table: 'membership', actorOf: membershipActor, next: HOUR_ON });
}

type RenewedTable = {
  table: 'subscription' | 'membership';
  actorOf: (id: string) => Actor;
  /** SQL: when the row is asked about next. */
  next: string;
};

const HOUR_ON = `gatehouse_now() + interval '1 hour'`;

async function askRenewedAgain(em: EntityManager, { table, actorOf, next }: RenewedTable) {
  const due = await rows<{ id: string }>(
    em,
    `update ${table} s set ask_again_at = ${next}
     from (select id from ${table} where ask_again_at <= gatehouse_now()
       order by ask_again_at, id limit ${AT_ONCE} for update skip locked) due
     where s.id = due.id returning s.id`,
  );
  for (const { id } of due) await sendToActor(em, actorOf(id), { kind: 'reconcile' });
  return { asked: due.length, hasMore: due.length === AT_ONCE };
}

/** Sets the next reading of a purchase; events that came in meanwhile are not forgotten. */
export async function scheduleAsk(
  em: EntityManager,
  purchase: {
    purchaseId: string;
    status: PurchaseStatus;
    remainingMs: number;
    hasSession: boolean;
    /** The reading needs a person. */
    isOutcomeUnknown?: boolean;
  },
): Promise<void> {
  const { purchaseId, status, isOutcomeUnknown = false } = purchase;
  const [facts] = await rows<{
    ageMs: number;
    hasOpenDispute: boolean;
    hasOpenRefund: boolean;
  }>(
    em,
    `select (extract(epoch from gatehouse_now() - p.created_at) * 1000)::float as "ageMs",
       ${HAS_OPEN_DISPUTE} as "hasOpenDispute",
       exists (select from refund r join payment y on y.id = r.payment_id
         where y.purchase_id = p.id and r.status in ('requested', 'submitted')) as "hasOpenRefund"
     from purchase p where p.id = ? for update`,
    [purchaseId],
  );
  const afterMs = decideAskAgainMs({ ...purchase, ...facts! });
  await rows(
    em,
    `update purchase p set ask_again_at = case when exists (
         select from processor_event e
         where e.purchase_id = p.id and e.handled_at is null and e.dead_letter_reason is null)
       then gatehouse_now() + interval '1 hour'
       else gatehouse_now() + ?::float * interval '1 millisecond' end
     where p.id = ?`,
    [afterMs, purchaseId],
  );
  const over = [
    ...(isOutcomeUnknown ? [] : ['processor_state' as const]),
    ...(status === 'pending' ? [] : ['purchase_unresolved' as const]),
    ...(status === 'clearing' ? [] : ['clearing_stuck' as const]),
  ];
  await withdrawAlerts(em, { kinds: over, subject: purchaseId });
}

/** Events that are still early after an hour belong to another platform, or something is wrong. */
export async function alertOfStrangers(em: EntityManager): Promise<void> {
  const strangers = await rows<{ type: string; id: string; n: number }>(
    em,
    `select type, min(id) as id, count(*)::int as n from processor_event e
     where dead_letter_reason in ('${UNKNOWN_PURCHASE}', '${PAYMENT_NOT_RECEIVED}') and handled_at is null
       and received_at <= gatehouse_now() - interval '1 hour'
       and not exists (select from alert a where a.kind = 'event_dead_lettered' and a.subject = e.type
         and a.last_raised_at >= e.received_at + interval '1 hour')
     group by type order by type limit 100`,
  );
  for (const { type, id, n } of strangers) {
    await raiseAlert(em, {
      kind: 'event_dead_lettered',
      subject: type,
      detail: { event: id, events: n },
    });
  }
}
