import type { WorkflowTarget } from './workflow-targets.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { Outbox } from './outbox.entity.ts';
import { insertMessages } from './outbox.query.ts';

/** Queues a message to a workflow in the transaction of its change. */
export async function sendToWorkflow(
  em: EntityManager,
  target: WorkflowTarget,
  message: Record<string, unknown>,
): Promise<void> {
  await insertMessages(em, [target], message);
}

const AT_ONCE = 1_000;

/** Sends the same message to many workflows. */
export async function sendToWorkflows(
  em: EntityManager,
  targets: readonly WorkflowTarget[],
  message: Record<string, unknown>,
): Promise<void> {
  for (let from = 0; from < targets.length; from += AT_ONCE) {
    await insertMessages(em, targets.slice(from, from + AT_ONCE), message);
  }
}

/** True while the same message to a workflow of this type waits to be sent. */
export async function isMessageWaiting(
  em: EntityManager,
  { priority, workflowType }: WorkflowTarget,
  message: Record<string, unknown>,
): Promise<boolean> {
  const found = await kysely(em)
    .selectFrom('outbox')
    .select('id')
    .where('sentAt', 'is', null)
    .where('deadLetteredAt', 'is', null)
    .where('priority', '=', priority)
    .where('workflowType', '=', workflowType)
    .where(({ eb, cast, val }) =>
      eb('message', '=', cast<Record<string, unknown>>(val(JSON.stringify(message)), 'jsonb')),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

const MOST_REFUSALS = 10;
const LONGEST_ERROR = 500;

/** Releases messages that could not be sent through no fault of theirs. */
export async function releaseUnsent(em: EntityManager, ids: string[]): Promise<void> {
  if (ids.length > 0) await em.nativeUpdate(Outbox, { id: { $in: ids } }, { leaseUntil: null });
}

/**
 * Counts a refusal of the message itself; the tenth dead-letters it. The lease stays: it is the
 * pause before the next try.
 */
export async function recordRefusal(
  em: EntityManager,
  refusal: { id: string; error: string },
): Promise<{ isDeadLettered: boolean }> {
  const refused = await kysely(em)
    .updateTable('outbox')
    .set(({ eb }) => ({
      refusals: eb('refusals', '+', 1),
      lastError: refusal.error.slice(0, LONGEST_ERROR),
      deadLetteredAt: eb
        .case()
        .when(eb('refusals', '+', 1), '>=', MOST_REFUSALS)
        .then(NOW)
        .end(),
    }))
    .where('id', '=', refusal.id)
    .returning('deadLetteredAt')
    .executeTakeFirst();
  return { isDeadLettered: refused?.deadLetteredAt != null };
}

/** Messages that Temporal refused until they waited for an operator. */
export async function countDeadLetteredMessages(em: EntityManager): Promise<number> {
  return em.count(Outbox, { deadLetteredAt: { $ne: null } });
}

const PAGE = 50;

/**
 * Lists the messages that Temporal refused, the newest first; `next` is the id of the last message
 * shown when older ones follow.
 */
export async function listDeadLetteredMessages(em: EntityManager, before: string | null) {
  const { items, hasNextPage } = await em.findByCursor(Outbox, {
    where: { deadLetteredAt: { $ne: null } },
    orderBy: { id: 'desc' },
    first: PAGE,
    ...(before === null ? {} : { after: { id: before } }),
    includeCount: false,
  });
  const lines = items.map((each) => ({ ...each, deadLetteredAt: each.deadLetteredAt! }));
  return { lines, next: hasNextPage ? lines.at(-1)!.id : null };
}

export type DeadLetteredMessages = Awaited<ReturnType<typeof listDeadLetteredMessages>>;
export type DeadLetteredMessage = DeadLetteredMessages['lines'][number];

/** Sends a message again with ten tries of its own; null when it does not wait for an operator. */
export async function sendDeadLetteredAgain(
  em: EntityManager,
  id: string,
): Promise<{ workflowId: string } | null> {
  const sent = await kysely(em)
    .updateTable('outbox')
    .set({ deadLetteredAt: null, refusals: 0, leaseUntil: null })
    .where('id', '=', id)
    .where('deadLetteredAt', 'is not', null)
    .returning('workflowId')
    .executeTakeFirst();
  return sent ?? null;
}

const MOST_REMOVED = 5_000;

/**
 * Removes messages that were sent a week ago, the oldest first; dead-lettered messages wait for an
 * operator. True when more wait.
 */
export async function removeSentMessages(em: EntityManager): Promise<boolean> {
  const removed = await kysely(em)
    .deleteFrom('outbox')
    .where('id', 'in', ({ selectFrom }) => {
      const oldest = selectFrom('outbox')
        .select(['outbox.id', 'outbox.sentAt'])
        .where('outbox.sentAt', 'is not', null)
        .orderBy('outbox.id')
        .limit(2 * MOST_REMOVED);
      return selectFrom(oldest.as('oldest'))
        .select('oldest.id')
        .where('oldest.sentAt', '<=', ago('7 days'))
        .orderBy('oldest.id')
        .limit(MOST_REMOVED);
    })
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === MOST_REMOVED;
}
