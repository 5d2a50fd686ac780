import { expressionBuilder, sql, type Expression } from 'kysely';
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  membershipWorkflow,
  purchaseWorkflow,
  subscriptionWorkflow,
  type WorkflowTarget,
} from '../../outbox/workflow-targets.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, fromNow, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { hasOpenDispute } from '../purchases/purchase.repository.ts';
import type { PurchaseStatus } from '../purchases/purchase-status.ts';
import { openRefundsOf } from '../refunds/refund.repository.ts';
import { PAYMENT_NOT_RECEIVED, UNKNOWN_PURCHASE } from './event-type.ts';
import { decidePurchaseAskAgainMs, decideStuck } from './reconcile-schedule.ts';

const AT_ONCE = 100;

/**
 * Wakes the workflows of purchases whose time has come, the longest waiting first. `ask_again_at`
 * is the cursor: the statement that takes a purchase moves it an hour on, and the reading sets it
 * anew. So neither a repeated batch nor a second reconciliation asks twice. True when more wait.
 */
export async function askAgain(em: EntityManager): Promise<{ asked: number; hasMore: boolean }> {
  const due = await kysely(em)
    .updateTable('purchase')
    .from(dueIn('purchase').as('due'))
    .set({ askAgainAt: fromNow('1 hour') })
    .whereRef('purchase.id', '=', 'due.id')
    .returning(['purchase.id as purchaseId', 'purchase.status', 'purchase.createdAt'])
    .returning(({ exists }) => [
      NOW.as('now'),
      exists(waitingEvents().where('processorEvent.receivedAt', '<=', ago('1 day')))
        .$castTo<boolean>()
        .as('hasOldEvent'),
    ])
    .execute();
  const targets = due.map(({ purchaseId }) => purchaseWorkflow(purchaseId));
  await sendToWorkflows(em, targets, { kind: 'reconcile' });
  for (const { purchaseId: subject, status, hasOldEvent, createdAt, now } of due) {
    const kind = decideStuck({ status, hasOldEvent, ageMs: now.getTime() - createdAt.getTime() });
    if (kind) await raiseAlert(em, { kind, subject, detail: { status } });
  }
  return { asked: due.length, hasMore: due.length === AT_ONCE };
}

const dueIn = (table: 'purchase' | 'subscription' | 'membership') =>
  expressionBuilder<Tables>()
    .selectFrom(table)
    .select('id')
    .where('askAgainAt', '<=', NOW)
    .orderBy('askAgainAt')
    .orderBy('id')
    .limit(AT_ONCE)
    .forUpdate()
    .skipLocked();

/** Unhandled events of the statement's `purchase`. */
const waitingEvents = () =>
  expressionBuilder<Tables, 'purchase'>()
    .selectFrom('processorEvent')
    .select('processorEvent.id')
    .whereRef('processorEvent.purchaseId', '=', 'purchase.id')
    .where('processorEvent.handledAt', 'is', null)
    .where('processorEvent.deadLetterReason', 'is', null);

/**
 * Asks again about subscriptions. A subscription that the processor never made is not asked about.
 */
export async function askSubscriptionsAgain(em: EntityManager) {
  const due = await kysely(em)
    .updateTable('subscription')
    .from(dueIn('subscription').as('due'))
    .set(({ eb }) => ({
      askAgainAt: eb.case().when('processorId', 'is not', null).then(fromNow('1 hour')).end(),
    }))
    .whereRef('subscription.id', '=', 'due.id')
    .returning('subscription.id')
    .execute();
  return wake(em, due, subscriptionWorkflow);
}

/** Asks again about memberships. */
export async function askMembershipsAgain(em: EntityManager) {
  const due = await kysely(em)
    .updateTable('membership')
    .from(dueIn('membership').as('due'))
    .set({ askAgainAt: fromNow('1 hour') })
    .whereRef('membership.id', '=', 'due.id')
    .returning('membership.id')
    .execute();
  return wake(em, due, membershipWorkflow);
}

async function wake(
  em: EntityManager,
  due: { id: string }[],
  toTarget: (id: string) => WorkflowTarget,
) {
  const targets = due.map(({ id }) => toTarget(id));
  await sendToWorkflows(em, targets, { kind: 'reconcile' });
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
  const { createdAt, now, ...open } = await kysely(em)
    .selectFrom('purchase')
    .select(['purchase.createdAt', NOW.as('now')])
    .select(({ exists }) => [
      hasOpenDispute().as('hasOpenDispute'),
      exists(openRefundsOf('purchase').select('refund.id')).$castTo<boolean>().as('hasOpenRefund'),
    ])
    .where('purchase.id', '=', purchaseId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const ageMs = now.getTime() - createdAt.getTime();
  const afterMs = decidePurchaseAskAgainMs({ ...purchase, ...open, ageMs });
  const planned: Expression<Date | null> =
    afterMs === null ? sql.lit(null) : fromNow(`${afterMs} milliseconds`);
  await kysely(em)
    .updateTable('purchase')
    .set(({ eb, exists }) => ({
      askAgainAt: eb
        .case()
        .when(exists(waitingEvents()))
        .then(fromNow('1 hour'))
        .else(planned)
        .end(),
    }))
    .where('purchase.id', '=', purchaseId)
    .execute();
  const over = [
    ...(isOutcomeUnknown ? [] : ['processor_state' as const]),
    ...(status === 'pending' ? [] : ['purchase_unresolved' as const]),
    ...(status === 'clearing' ? [] : ['clearing_stuck' as const]),
  ];
  await withdrawAlerts(em, { kinds: over, subject: purchaseId });
}

/** Events that are still early after an hour belong to another platform, or something is wrong. */
export async function alertOfUnmatchedEvents(em: EntityManager): Promise<void> {
  const unmatched = await kysely(em)
    .selectFrom('processorEvent')
    .select(({ fn }) => ['type', fn.min('id').as('event'), fn.countAll<number>().as('events')])
    .where('deadLetterReason', 'in', [UNKNOWN_PURCHASE, PAYMENT_NOT_RECEIVED])
    .where('handledAt', 'is', null)
    .where('receivedAt', '<=', ago('1 hour'))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('alert')
            .select('alert.id')
            .where('alert.kind', '=', 'event_dead_lettered')
            .whereRef('alert.subject', '=', 'processorEvent.type')
            .where(({ eb, ref }) =>
              eb(
                'alert.lastRaisedAt',
                '>=',
                sql<Date>`${ref('processorEvent.receivedAt')} + interval '1 hour'`,
              ),
            ),
        ),
      ),
    )
    .groupBy('type')
    .orderBy('type')
    .limit(100)
    .execute();
  for (const { type: subject, ...detail } of unmatched) {
    await raiseAlert(em, { kind: 'event_dead_lettered', subject, detail });
  }
}
