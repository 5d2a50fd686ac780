import { SEARCH_ATTRIBUTES } from '../domain/shared/search-attributes.ts';
import { untilReady, type Child, type Children } from './process/children.ts';
import { prepareNamespace } from './engines/temporal-namespace.ts';
import { waitUntil } from './process/wait.ts';

const PROBLEMS = 'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute';

export interface TemporalOptions {
  binary: string;
  port: number;
  uiPort: number;
  /** Where its state is kept; without one it is lost with the process. */
  databaseFile?: string;
  children: Children;
  environment: Record<string, string>;
  signal: AbortSignal;
}

const EXTERNAL_READY_MS = 15_000;

/** Starts the development server on 127.0.0.1 and waits until its namespace is as we need it. */
export async function startTemporal(options: TemporalOptions): Promise<Child> {
  const child = options.children.start({
    name: 'temporal',
    command: options.binary,
    args: serverArguments(options),
    env: options.environment,
    cwd: '/',
  });
  const isReady = () => isPrepared(`127.0.0.1:${options.port}`);
  return untilReady(child, { isReady, signal: options.signal });
}

/** Waits for a server that somebody else runs, and prepares its namespace. */
export async function useTemporal(address: string, signal: AbortSignal): Promise<void> {
  await waitUntil(() => isPrepared(address), `An answer of TEMPORAL_ADDRESS (${address})`, {
    timeoutMs: EXTERNAL_READY_MS,
    signal,
  });
}

function serverArguments({ port, uiPort, databaseFile }: TemporalOptions): string[] {
  const persistence = databaseFile
    ? [
        ['--db-filename', databaseFile],
        ['--sqlite-pragma', 'journal_mode=WAL'],
        ['--sqlite-pragma', 'synchronous=NORMAL'],
      ]
    : [];
  const attributes = Object.entries(SEARCH_ATTRIBUTES);
  return [
    ['server', 'start-dev', '--ui-disable-news-fetch'],
    ['--ip', '127.0.0.1'],
    ['--port', String(port)],
    ['--ui-port', String(uiPort)],
    ['--log-level', 'error'],
    ['--dynamic-config-value', 'frontend.WorkflowTimeSkippingEnabled=true'],
    // Whoever changes a workflow sees at once that its histories do not fit; in production it takes five.
    ['--dynamic-config-value', `${PROBLEMS}=2`],
    ...persistence,
    ...attributes.map(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ].flat();
}

async function isPrepared(address: string): Promise<boolean> {
  return prepareNamespace(address).then(
    () => true,
    () => false,
  );
}
