// `npm run replay`: histories of real runs against the workflows of this checkout.
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { ConfigurationError } from '../../platform/config.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { toConnection } from '../../worker/workers.ts';
import { findTemporalServer } from '../temporal-server.ts';
import { readCommand, USAGE, UsageError, type Command } from './command-line.ts';
import { findHistories } from './histories.ts';
import { replay } from './replay.ts';

const CONNECT_MS = 5_000;
const PROGRESS_MS = 2_000;

try {
  const command = readCommand(process.argv.slice(2));
  if (command.what === null) console.log(USAGE);
  else process.exitCode = await run(command, command.what);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 2;
}
process.exit();

async function run(command: Command, what: NonNullable<Command['what']>): Promise<number> {
  // What a replay finds is in its result, so the SDK's log would only repeat it.
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: 'ERROR', forward: {} } },
  });
  const bundle = loadWorkflowBundle();
  bundle.catch(() => undefined); // awaited below
  const { runs, total } = await findHistories(what, () => connect(command));
  const counts = { fit: 0, differ: 0 };
  const progress = setInterval(() => {
    console.error(`... ${counts.fit + counts.differ} of ${total}`);
  }, PROGRESS_MS);
  for await (const { workflowId, workflowType, difference } of replay(await bundle, runs)) {
    counts[difference === null ? 'fit' : 'differ'] += 1;
    console.log(`${workflowId}  ${workflowType}  ${difference ?? 'ok'}`);
  }
  clearInterval(progress);
  const replayed = counts.fit + counts.differ;
  console.log(`${replayed} replayed: ${counts.fit} ok, ${counts.differ} do not fit`);
  return counts.differ > 0 ? 1 : 0;
}

async function connect(command: Command) {
  const server = findTemporalServer();
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
