// Publishes the outbox to Temporal after the commit, at least once: workflows drop known messages.
import { setTimeout as pause } from 'node:timers/promises';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { raiseAlert } from '../domain/alerts/alert.repository.ts';
import type { ActorName } from '../domain/outbox/actors.ts';
import { createNotifier } from './jobs/notifier.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import {
  claimUnsent,
  FIRST_SHARE,
  listWaitingLanes,
  markSent,
} from '../domain/outbox/outbox.query.ts';
import {
  recordRefusal,
  releaseUnsent,
  type OutboxMessage,
} from '../domain/outbox/outbox.repository.ts';
import { listOver, partsOf, type FirstTries } from './inline-attempts.ts';
import { startPollLoop } from './jobs/poll-loop.ts';
import { ACTOR_NAMES, ACTOR_TYPES, messageSignal } from '../workflows/contracts.ts';

export type Relay = { wake(): void; stop(): Promise<void> };

type Parts = {
  database: Database;
  client: Client;
  taskQueuePrefix: string;
  logger: Logger;
  firstTries?: FirstTries;
};

const POLL_MS = 1_000;
/** The poller wakes it long before. */
const UNASKED_MS = 60_000;
const BATCH = 20;
/** With an inline attempt before it, still shorter than the lease of a message. */
const CALL_MS = 3_000;
/**
 * Deliveries fail by the thousand at once and have a minute until their first retry. They take what
 * sales leave: a few at a time, then a rest of so many times the duration of Temporal's response;
 * without recent sales, a rest of the duration itself.
 */
const GENTLE = { batch: 4, rests: 12, longestMs: 800 };
const LATELY_MS = 2_000;
/** Pauses while Temporal is away. */
const PAUSES_MS = [1_000, 2_000, 5_000];

// gRPC: invalid argument, failed precondition, out of range. Other codes say nothing about the
// message.
const REFUSALS = [3, 9, 11];

/**
 * One queue for each workflow type, so that a thousand failed deliveries do not delay a purchase.
 * One query finds the queues with messages, because most commits leave nothing in most of them.
 */
export function startRelay(parts: Parts): Relay {
  const { database, logger } = parts;
  const sales = createSales();
  const lanes = ACTOR_NAMES.map((workflowType) => ({
    workflowType,
    ...startLane(workflowType, { ...parts, sales }),
  }));
  const poller = startPollLoop({
    async work() {
      const waiting = await listWaitingLanes(database.pool, ACTOR_NAMES);
      for (const lane of lanes) if (waiting.includes(lane.workflowType)) lane.wake();
      return false;
    },
    pollMs: POLL_MS,
    logger,
    trouble: 'the outbox could not be read',
  });
  return {
    wake: poller.wake,
    stop: async () => void (await Promise.all([poller, ...lanes].map((part) => part.stop()))),
  };
}

type Sales = { note(): void; restMs(tookMs: number): number };

function createSales(): Sales {
  let lastAt = -Infinity;
  return {
    note() {
      lastAt = performance.now();
    },
    restMs(tookMs) {
      const rests = performance.now() - lastAt < LATELY_MS ? GENTLE.rests : 1;
      return Math.min(tookMs * rests, GENTLE.longestMs);
    },
  };
}

function startLane(workflowType: ActorName, parts: Parts & { sales: Sales }): Relay {
  const { database, client, logger, sales } = parts;
  const notifier = createNotifier();
  const stopping = new AbortController();
  const { signal } = stopping;
  const isGentle = workflowType === 'webhookDelivery';
  const isOfSales = ACTOR_TYPES[workflowType].taskQueue === 'money';
  const limit = isGentle ? GENTLE.batch : BATCH;
  let failures = 0;
  let afterShare = FIRST_SHARE;

  async function deliver(): Promise<void> {
    const isFromStart = afterShare === FIRST_SHARE;
    const lane = { workflowType, afterShare, limit };
    const { messages: claimed, chosen, lastShare } = await claimUnsent(database.pool, lane);
    const isEnd = chosen < limit;
    afterShare = isEnd ? FIRST_SHARE : lastShare;
    const over = await listOver(parts.firstTries?.[workflowType], claimed);
    await markSent(database.pool, idsOf(over));
    const messages = claimed.filter((message) => !over.includes(message));
    if (isOfSales && messages.length > 0) sales.note();
    const startedAt = performance.now();
    const results = await client.connection.withDeadline(Date.now() + CALL_MS, () =>
      Promise.all(messages.map((message) => send(parts, { workflowType, message }))),
    );
    const tookMs = performance.now() - startedAt;
    const idsWhere = (wanted: Result['is']) =>
      idsOf(messages.filter((_, index) => results[index]!.is === wanted));
    await markSent(database.pool, idsWhere('sent'));
    await releaseUnsent(database.em(), idsWhere('unreachable'));
    for (const [index, result] of results.entries()) {
      if (result.is === 'refused') await refuse(parts, messages[index]!, result.error);
    }
    const lost = results.find(({ is }) => is === 'unreachable');
    if (lost) throw lost.error;
    if (failures > 0) logger.info({ workflowType }, 'the lane goes on');
    failures = 0;
    if (isEnd && isFromStart) await notifier.wait(UNASKED_MS);
    else if (isGentle) await sleep(sales.restMs(tookMs));
  }

  async function sleep(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal }).catch(() => undefined);
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await deliver();
      } catch (error) {
        const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!;
        failures += 1;
        if (failures === 1) logger.warn({ err: error, workflowType }, 'the lane pauses');
        // New messages do not end the pause.
        await sleep(pauseMs);
      }
    }
  }

  const loop = run();
  return {
    wake: () => notifier.notify(),
    async stop() {
      stopping.abort();
      notifier.notify();
      await loop;
    },
  };
}

async function refuse(
  { database, logger }: Parts,
  { id, workflowId }: OutboxMessage,
  error: unknown,
): Promise<void> {
  const isParked = await database.transaction(async (em) => {
    const refused = await recordRefusal(em, { id, error: String(error) });
    if (refused.isParked) {
      await raiseAlert(em, { kind: 'message_parked', subject: id, detail: { workflowId } });
    }
    return refused.isParked;
  });
  const alert = isParked ? 'message_parked' : undefined;
  logger.error({ alert, err: error, outboxId: id, workflowId }, 'Temporal refuses a message');
}

function idsOf(messages: OutboxMessage[]): string[] {
  return messages.map(({ id }) => id);
}

type Result = { is: 'sent' | 'refused' | 'unreachable'; error?: unknown };

async function send(
  { client, taskQueuePrefix }: Parts,
  { workflowType, message }: { workflowType: ActorName; message: OutboxMessage },
): Promise<Result> {
  const { taskQueue, toInput, summarize } = ACTOR_TYPES[workflowType];
  const parts = partsOf(message);
  try {
    await client.workflow.signalWithStart(workflowType, {
      workflowId: message.workflowId,
      taskQueue: taskQueuePrefix + taskQueue,
      args: [toInput(parts)],
      signal: messageSignal,
      signalArgs: [{ ...message.message, outboxId: message.id }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: summarize(parts),
    });
    return { is: 'sent' };
  } catch (error) {
    return { is: isForItsOwnSake(error) ? 'refused' : 'unreachable', error };
  }
}

function isForItsOwnSake(error: unknown): boolean {
  const cause = error instanceof Error && error.cause ? error.cause : error;
  return isGrpcServiceError(cause) ? REFUSALS.includes(cause.code) : cause instanceof TypeError;
}
