// The Temporal side of the worker: one connection, one worker for each task queue.
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure, Client, Connection } from '@temporalio/client';
import {
  NativeConnection,
  Runtime,
  Worker,
  type ActivityInboundCallsInterceptor,
  type WorkflowBundleWithSourceMap,
  type WorkerOptions,
  type Logger as SdkLogger,
  type LogLevel,
  type LogMetadata,
} from '@temporalio/worker';
import type { Config, WorkerRole } from '../platform/config.ts';
import { isQuoting, type Logger } from '../platform/log.ts';
import { TASK_QUEUES, type TaskQueue } from '../workflows/contracts.ts';
import type { Activities } from '../activities/index.ts';

export type TaskWorkers = {
  /** Settles when the workers have stopped; rejects when one of them fails. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

type Execute = NonNullable<ActivityInboundCallsInterceptor['execute']>;

type TemporalConfig = Config['temporal'];

/** One build of one worker deployment. Runs that are pinned to it stay with it. */
export type DeploymentVersion = { name: string; buildId: string };

const RETRY_MS = 1_000;

/** The task queues of each role. */
const SERVED: Record<WorkerRole, readonly TaskQueue[]> = {
  dispatch: [],
  money: ['money'],
  access: ['access'],
  deliveries: ['deliveries'],
  upkeep: ['upkeep', 'mail'],
};

export function taskQueuesOf(roles: readonly WorkerRole[]): TaskQueue[] {
  return [...new Set(roles)].flatMap((role) => SERVED[role]);
}

// Attempts that hang for 10 s must not hold the slots of clearing or expiry. Months of several
// currencies, of up to an hour each, leave slots of `upkeep` to `sweep`.
const SLOTS: Record<TaskQueue, { activities: number; workflows: number; cached: number }> = {
  money: { activities: 20, workflows: 20, cached: 200 },
  access: { activities: 20, workflows: 20, cached: 100 },
  deliveries: { activities: 256, workflows: 20, cached: 200 },
  mail: { activities: 10, workflows: 10, cached: 50 },
  upkeep: { activities: 10, workflows: 2, cached: 2 },
};

/**
 * Installs once in a process, before anything else of the SDK: its log goes to ours, its metrics to
 * a port that ours read, and signals are ours.
 */
export function installRuntime(logger: Logger, metrics: { bindAddress: string }): void {
  const { bindAddress } = metrics;
  Runtime.install({
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: 'WARN', forward: {} },
      metrics: {
        prometheus: { bindAddress, countersTotalSuffix: true, useSecondsForDurations: true },
      },
    },
    logger: createSdkLogger(logger),
  });
}

/**
 * Repeats the call until Temporal responds, because Temporal may start later or falter. Null after
 * a stop.
 */
export async function untilTemporalResponds<Result>(
  ask: () => Promise<Result>,
  { address, logger, signal }: { address: string; logger: Logger; signal: AbortSignal },
): Promise<Result | null> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries % 10 === 1) logger.warn({ address, reason: String(error) }, 'waiting for Temporal');
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

type Server = Pick<TemporalConfig, 'address'> & Partial<Pick<TemporalConfig, 'tls' | 'apiKey'>>;

/** The options of both kinds of connection. */
export function toConnection({ address, tls, apiKey }: Server) {
  return { address, ...(tls && { tls }), ...(apiKey && { apiKey }) };
}

/**
 * The publisher's client connects at first use, fails at once while Temporal is away, and retries
 * nothing.
 */
export function openClient({ namespace, ...server }: Server & { namespace: string }) {
  const connection = Connection.lazy({
    ...toConnection(server),
    interceptors: [],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
    },
  });
  return { client: new Client({ connection, namespace }), close: () => connection.close() };
}

export async function startTaskWorkers(options: {
  connection: NativeConnection;
  temporal: TemporalConfig;
  activities: Activities;
  workflowBundle: WorkflowBundleWithSourceMap | { code: string };
  taskQueues?: readonly TaskQueue[];
  /** The version of the workers; without one, any worker takes any task. */
  deployment?: DeploymentVersion | null;
}): Promise<TaskWorkers> {
  const { connection, temporal, activities, workflowBundle } = options;
  const workers = await Promise.all(
    (options.taskQueues ?? TASK_QUEUES).map((taskQueue) =>
      Worker.create({
        connection,
        namespace: temporal.namespace,
        taskQueue: temporal.taskQueuePrefix + taskQueue,
        activities,
        workflowBundle,
        interceptors: { activity: [() => ({ inbound: { execute: withoutQuotes } })] },
        ...(options.deployment && versioned(options.deployment)),
        ...limitsOf(taskQueue),
      }),
    ),
  );
  const runs = workers.map((worker) => worker.run());
  const ended = Promise.all(runs).then(() => undefined);
  ended.catch(() => undefined); // callers receive the fault; there may be none yet
  return {
    ended,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs); // also those beside one that failed
      await ended;
    },
  };
}

function versioned({ name: deploymentName, buildId }: DeploymentVersion): Partial<WorkerOptions> {
  return {
    workerDeploymentOptions: {
      version: { deploymentName, buildId },
      useWorkerVersioning: true,
      // Those that are over soon are pinned: workflows/versioning.ts.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** An activity's fault is kept in the history: a fault that quotes rows is reduced to its code. */
async function withoutQuotes(...[input, next]: Parameters<Execute>): ReturnType<Execute> {
  try {
    return await next(input);
  } catch (error) {
    if (!(error instanceof Error && isQuoting(error))) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw ApplicationFailure.retryable(`${error.name} ${code ?? ''}`.trim(), error.name);
  }
}

function limitsOf(taskQueue: TaskQueue): Partial<WorkerOptions> {
  const { activities, workflows, cached } = SLOTS[taskQueue];
  return {
    maxConcurrentActivityTaskExecutions: activities,
    maxConcurrentWorkflowTaskExecutions: workflows,
    maxConcurrentActivityTaskPolls: Math.min(4, activities),
    maxConcurrentWorkflowTaskPolls: Math.min(4, workflows),
    maxCachedWorkflows: cached,
    workflowThreadPoolSize: 1,
    shutdownGraceTime: '12 seconds',
    shutdownForceTime: '16 seconds',
  };
}

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

/**
 * The SDK's log with level, error and fields. The SDK's collector calls `log` alone; code that
 * holds the logger calls the methods of the levels.
 */
function createSdkLogger(logger: Logger): SdkLogger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    const { error, ...sdk } = meta;
    logger[LEVELS[level]]({ sdk, ...(error === undefined ? {} : { err: error }) }, message);
  };
  const at = (level: LogLevel) => (message: string, meta?: LogMetadata) =>
    log(level, message, meta);
  return {
    log,
    trace: at('TRACE'),
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  };
}
