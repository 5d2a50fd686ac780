import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../domain/shared/search-attributes.ts';
import { readHostEnvironment } from '../platform/config.ts';
import { untilReady, type Child, type Children } from './process/children.ts';
import { waitUntil } from './process/run.ts';
import { findTemporal } from './temporal-binary.ts';

export interface TemporalOptions {
  port: number;
  uiPort: number;
  /** Keeps the server's state; without a file the state is lost with the process. */
  databaseFile?: string;
  /** Adds to our own settings; values in JSON. */
  dynamicConfig?: Record<string, string>;
  /** Adds to the variables of this process. */
  variables?: Record<string, string>;
  children: Children;
  signal: AbortSignal;
}

const { IndexedValueType } = proto.temporal.api.enums.v1;
const PROBLEMS = 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute';
const NAMESPACE = 'default';
const RETENTION_SECONDS = 30 * 24 * 60 * 60;
const EXTERNAL_READY_MS = 15_000;
const ANSWER_MS = 2_000;

/** Starts the development server on 127.0.0.1 and waits until its namespace is as we need it. */
export async function startTemporal(options: TemporalOptions): Promise<Child> {
  const { port, children, signal } = options;
  const child = children.start({
    name: 'temporal',
    command: await findTemporal(signal),
    args: serverArguments(options),
    env: { ...readHostEnvironment(), ...options.variables },
    cwd: '/',
  });
  return untilReady(child, { isReady: () => isPrepared(`127.0.0.1:${port}`), signal });
}

/** Waits for a server that somebody else runs, and prepares its namespace. */
export async function useTemporal(address: string, signal: AbortSignal): Promise<void> {
  const what = `An answer of TEMPORAL_ADDRESS (${address})`;
  await waitUntil(() => isPrepared(address), { what, timeoutMs: EXTERNAL_READY_MS, signal });
}

function serverArguments({
  port,
  uiPort,
  databaseFile,
  dynamicConfig = {},
}: TemporalOptions): string[] {
  const persistence = [
    ['--db-filename', databaseFile ?? ''],
    ['--sqlite-pragma', 'journal_mode=WAL'],
    ['--sqlite-pragma', 'synchronous=NORMAL'],
  ];
  return [
    ['server', 'start-dev', '--ui-disable-news-fetch'],
    ['--ip', '127.0.0.1'],
    ['--port', String(port)],
    ['--ui-port', String(uiPort)],
    ['--log-level', 'error'],
    ['--dynamic-config-value', 'frontend.WorkflowTimeSkippingEnabled=true'],
    // Without it fairness keys have no effect.
    ['--dynamic-config-value', 'matching.enableFairness=true'],
    // A change of a workflow shows at once that its histories do not fit; in production it takes five.
    ['--dynamic-config-value', `${PROBLEMS}=2`],
    ...Object.entries(dynamicConfig).map(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...(databaseFile ? persistence : []),
  ].flat();
}

/** Gives the namespace its retention and search attributes; false while the server is not ready for it. */
async function isPrepared(address: string): Promise<boolean> {
  const connection = Connection.lazy({
    address,
    interceptors: [],
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 200 },
  });
  try {
    await connection.withDeadline(Date.now() + ANSWER_MS, () => prepareNamespace(connection));
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

async function prepareNamespace({ workflowService, operatorService }: Connection): Promise<void> {
  const config = { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } };
  await workflowService.updateNamespace({ namespace: NAMESPACE, config });
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace: NAMESPACE });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in customAttributes));
  if (missing.length === 0) return;
  const types = missing.map(([name, type]) => [
    name,
    IndexedValueType[`INDEXED_VALUE_TYPE_${type.toUpperCase() as Uppercase<typeof type>}`],
  ]);
  await operatorService.addSearchAttributes({
    namespace: NAMESPACE,
    searchAttributes: Object.fromEntries(types),
  });
}
