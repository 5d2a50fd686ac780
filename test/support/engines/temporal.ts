import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { eventually } from '../eventually.ts';

type History = temporal.api.history.v1.IHistory;

export type TestTemporal = {
  client: Client;
  connection: NativeConnection;
  /** Keeps the task queues of this file apart from those of all others. */
  prefix: string;
  address: string;
};

export async function connectTemporal(): Promise<TestTemporal> {
  const address = process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS'];
  if (!address) throw new Error('Run the tests with `npm test`: it starts Temporal.');
  quietRuntime();
  const connection = await NativeConnection.connect({ address });
  const prefix = `test-${randomBytes(6).toString('hex')}-`;
  return { client: new Client({ connection }), connection, prefix, address };
}

/** What the parts of the worker take as their configuration. */
export function temporalSettings({ address, prefix }: Pick<TestTemporal, 'address' | 'prefix'>) {
  return {
    address,
    namespace: 'default',
    taskQueuePrefix: prefix,
    uiUrl: undefined,
    tls: undefined,
    apiKey: undefined,
  };
}

/** The SDK reports only what breaks. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  });
}

/** Until a workflow has started so many timers: it waits in the last of them. Answers how long they are. */
export function untilWaiting(
  client: Client,
  { workflowId, timers }: { workflowId: string; timers: number },
): Promise<number[]> {
  // Before the first message there is no workflow yet.
  const started = () => timersOf(client, workflowId).catch(() => []);
  return eventually(started, (found) => found.length >= timers);
}

/** Until no task of a workflow is under way: only its own timer or a message wakes it. */
export async function untilIdle(client: Client, workflowId: string): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  await eventually(
    async () => (await handle.describe()).raw,
    ({ pendingActivities, pendingWorkflowTask }) =>
      !pendingWorkflowTask && (pendingActivities ?? []).length === 0,
  );
}

/** The durations of all timers that a workflow has started, in milliseconds. */
export async function timersOf(client: Client, workflowId: string): Promise<number[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return timersIn({ events: events ?? [] });
}

export function timersIn(history: Pick<History, 'events'>): number[] {
  return (history.events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => {
    if (!timer?.startToFireTimeout) return [];
    const { seconds, nanos } = timer.startToFireTimeout;
    return [Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6];
  });
}
