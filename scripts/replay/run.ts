// The command of `npm run replay`.
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { ConfigurationError } from '../../platform/config.ts';
import type { Environment } from '../../platform/settings/parse-settings.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { toConnection } from '../../worker/workers.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { findTemporalServer } from '../temporal-server.ts';
import { readCommand, USAGE, type Command } from './command-line.ts';
import { findHistories } from './histories.ts';
import { replay } from './replay.ts';

const CONNECT_MS = 5_000;
const PROGRESS_MS = 2_000;

type ReplayCommand = Command & { what: NonNullable<Command['what']> };

/** Runs a command line, says what came of it, and returns the exit code. */
export async function runReplay(args: string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  try {
    const { what, ...command } = readCommand(args);
    if (what !== null) return await run({ what, ...command }, context);
    terminal.log(USAGE);
    return 0;
  } catch (error) {
    terminal.error(explain(error));
    return 2;
  }
}

async function run(
  command: ReplayCommand,
  { environment, terminal }: CommandContext,
): Promise<number> {
  const bundle = loadWorkflowBundle();
  bundle.catch(() => undefined); // awaited below
  const counts = { fit: 0, differ: 0 };
  const countReplayed = () => counts.fit + counts.differ;
  let progress: NodeJS.Timeout | undefined;
  let server: Awaited<ReturnType<typeof connect>> | undefined;
  try {
    const open = async () => (server = await connect(command, environment));
    const { runs, total } = await findHistories(command.what, open);
    progress = setInterval(() => {
      terminal.error(`... ${countReplayed()} of ${total}`);
    }, PROGRESS_MS);
    for await (const { workflowId, workflowType, difference } of replay(await bundle, runs)) {
      counts[difference === null ? 'fit' : 'differ'] += 1;
      terminal.log(`${workflowId}  ${workflowType}  ${difference ?? 'ok'}`);
    }
  } finally {
    clearInterval(progress);
    await server?.client.connection.close();
  }
  terminal.log(`${countReplayed()} replayed: ${counts.fit} ok, ${counts.differ} do not fit`);
  return counts.differ > 0 ? 1 : 0;
}

async function connect(command: Command, environment?: Environment) {
  const server = findTemporalServer(environment);
  const address = command.address ?? server.address;
  if (address === null) {
    throw new ConfigurationError(
      `No Temporal server. Use --address or TEMPORAL_ADDRESS, or run \`npm start\` first (looked in ${server.dataDir}).`,
    );
  }
  const options = { ...toConnection({ ...server, address }), connectTimeout: CONNECT_MS };
  const connection = await Connection.connect(options).catch((error: unknown) => {
    throw new ConfigurationError(`No Temporal server responds at ${address}.`, { cause: error });
  });
  const namespace = command.namespace ?? server.namespace;
  return {
    client: new Client({ connection, namespace }),
    taskQueuePrefix: server.taskQueuePrefix,
  };
}

function explain(error: unknown): unknown {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  if (error instanceof ConfigurationError) return error.message;
  if (error instanceof NamespaceNotFoundError) return `Temporal refuses: ${error.message}`;
  const cause = error instanceof Error && error.cause ? error.cause : error;
  return isGrpcServiceError(cause) ? `Temporal refuses: ${cause.details}` : error;
}
