// Publishes the outbox to Temporal after the commit, at least once: workflows drop messages that they
// saw lately, and the record's row decides about older ones.
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { raiseAlert } from '../domain/alerts/alert.repository.ts';
import { PRIORITIES, type WorkflowInputs } from '../domain/outbox/workflow-targets.ts';
import { linkToConsole } from '../domain/outbox/console-link.ts';
import { claimUnsent, markSent, type OutboxMessage } from '../domain/outbox/outbox.query.ts';
import { recordRefusal, releaseUnsent } from '../domain/outbox/outbox.repository.ts';
import {
  addLabels,
  type MessageWithLabel,
} from '../domain/webhooks/deliveries/delivery-labels.repository.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import { ENTITY_WORKFLOWS, messageSignal } from '../workflows/contracts.ts';
import { hasSucceededInline, type InlineAttempt } from './mail-at-once.ts';
import { startBackgroundJob, type BackgroundJob } from './jobs/background-job.ts';
import { createStartLimit } from './start-limit.ts';

type Parts = {
  database: Database;
  client: Client;
  taskQueuePrefix: string;
  /** The address of the console, to which each run links. */
  baseUrl: string;
  /** The limit of starts of priorities 3 to 5. */
  workflowStartsPerS: number;
  logger: Logger;
  /** Sends a mail before its run; without this, each mail gets a run. */
  sendMail?: InlineAttempt;
};

const POLL_MS = 1_000;
const BATCH = 20;
const INLINE_PLACES = 20;
/** Is shorter, together with an inline attempt before it, than the lease of a message. */
const CALL_MS = 3_000;

// gRPC: invalid argument, failed precondition, out of range. Other codes say nothing about the
// message.
const REFUSALS = [3, 9, 11];

/**
 * One claim takes of each priority what may go now. Money and access are never held back. The others
 * get the free starts each, and what is beyond the limit is made up for before the next ones: so a
 * thousand failed deliveries delay neither a purchase nor a mail, and mails no delivery. Mails are
 * tried inline beside the loop, at most INLINE_PLACES at a time: one that succeeds costs no run.
 */
export function startPublisher(parts: Parts): BackgroundJob {
  const { database, logger, sendMail } = parts;
  const { money, access, deliveries, mail, upkeep } = PRIORITIES;
  const starts = createStartLimit(parts.workflowStartsPerS);
  const trying = new Map<OutboxMessage, Promise<void>>();
  // Their inline attempts failed.
  const waiting: OutboxMessage[] = [];

  async function tryInline(attempt: InlineAttempt, message: OutboxMessage): Promise<void> {
    try {
      if (await hasSucceededInline(attempt, message.input as WorkflowInputs['sendMail'])) {
        await markSent(database.pool, [message.id]);
      } else waiting.push(message);
    } catch (error) {
      // Sent again when its lease ends.
      logger.warn({ err: error, outboxId: message.id }, 'a message could not be marked as sent');
    }
    trying.delete(message);
    job.wake();
  }

  async function work(): Promise<number> {
    const free = Math.min(BATCH, starts.free());
    const places = INLINE_PLACES - trying.size - waiting.length;
    const claimed = await claimUnsent(database.pool, {
      [money]: BATCH,
      [access]: BATCH,
      [deliveries]: free,
      [mail]: sendMail ? Math.max(0, places) : free,
      [upkeep]: free,
    });
    const { inline = [], run = [] } = Object.groupBy(claimed, ({ priority }) =>
      sendMail && priority === mail ? 'inline' : 'run',
    );
    if (sendMail) for (const each of inline) trying.set(each, tryInline(sendMail, each));
    const runs = [...run, ...waiting.splice(0, free)];
    starts.count(runs.filter(({ priority }) => priority >= deliveries).length);
    await publish(parts, runs);
    if (runs.length > 0) return 0;
    return free > 0 ? POLL_MS : starts.waitMs();
  }

  const job = startBackgroundJob({ work, logger, failure: 'the outbox cannot be published' });
  return {
    wake: job.wake,
    async stop() {
      await job.stop();
      await Promise.all(trying.values());
      // Without the database they wait for the end of their leases.
      const left = waiting.map(({ id }) => id);
      await releaseUnsent(database.em(), left).catch((error: unknown) =>
        logger.warn({ err: error }, 'messages could not be released'),
      );
    },
  };
}

/**
 * Throws where Temporal is away: the messages then wait in their rows. Where it takes others, what it
 * does not take waits until its lease ends.
 */
async function publish(parts: Parts, messages: OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const { database, client } = parts;
  const messagesWithLabels = await addLabels(database.em(), messages);
  const byWorkflow = Map.groupBy(messagesWithLabels, ({ workflowId }) => workflowId);
  const results = await client.connection.withDeadline(Date.now() + CALL_MS, () =>
    Promise.all([...byWorkflow.values()].map((ofOne) => sendInOrder(parts, ofOne))),
  );
  const { sent = [], refused = [], ...unsent } = Object.groupBy(results.flat(), ({ is }) => is);
  const { unreachable = [], held = [] } = unsent;
  await markSent(database.pool, idsOf(sent));
  for (const each of refused) await refuse(parts, each);
  if (unreachable.length === 0) return;
  const { error } = unreachable[0]!;
  if (sent.length > 0) {
    parts.logger.warn({ err: error, messages: unreachable.length }, 'Temporal took other messages');
    return;
  }
  await releaseUnsent(database.em(), idsOf([...unreachable, ...held]));
  throw error;
}

type Result = {
  /** Held, because a message before it, to the same workflow, was not sent. */
  is: 'sent' | 'refused' | 'unreachable' | 'held';
  message: OutboxMessage;
  error?: unknown;
};

/** The messages of one workflow, one after the other. */
async function sendInOrder(parts: Parts, messages: MessageWithLabel[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const message of messages) {
    const isHeld = results.some(({ is }) => is === 'unreachable');
    results.push(isHeld ? { is: 'held', message } : await send(parts, message));
  }
  return results;
}

async function send(parts: Parts, message: MessageWithLabel): Promise<Result> {
  const { client, taskQueuePrefix, baseUrl } = parts;
  const { workflowType, workflowId, input, priority, fairnessKey } = message;
  try {
    // A newer version may have written a type that this one does not know: a TypeError refuses it.
    const { taskQueue, summarize } = ENTITY_WORKFLOWS[workflowType];
    await client.workflow.signalWithStart(workflowType, {
      workflowId,
      taskQueue: taskQueuePrefix + taskQueue,
      args: [input],
      signal: messageSignal,
      signalArgs: [{ ...message.message, outboxId: message.id }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: summarize(input as never, message.label),
      staticDetails: linkToConsole(baseUrl, workflowId),
      priority: { priorityKey: priority, ...(fairnessKey !== null && { fairnessKey }) },
    });
    return { is: 'sent', message };
  } catch (error) {
    return { is: isRefusedMessage(error) ? 'refused' : 'unreachable', message, error };
  }
}

function isRefusedMessage(error: unknown): boolean {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  return isGrpcServiceError(cause) ? REFUSALS.includes(cause.code) : cause instanceof TypeError;
}

async function refuse({ database, logger }: Parts, { message, error }: Result): Promise<void> {
  const { id, workflowId } = message;
  const isDeadLettered = await database.transaction(async (em) => {
    const refused = await recordRefusal(em, { id, error: String(error) });
    if (refused.isDeadLettered) {
      await raiseAlert(em, { kind: 'message_dead_lettered', subject: id, detail: { workflowId } });
    }
    return refused.isDeadLettered;
  });
  const alert = isDeadLettered ? 'message_dead_lettered' : undefined;
  logger.error({ alert, err: error, outboxId: id, workflowId }, 'Temporal refuses a message');
}

function idsOf(of: { message: OutboxMessage }[]): string[] {
  return of.map(({ message }) => message.id);
}
