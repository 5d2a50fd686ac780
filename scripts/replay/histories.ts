// Where the histories come from: files, single workflows, all open runs, a sample.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { onTaskQueues, RUNNING, WORKFLOW_TYPES } from '../../workflows/contracts.ts';
import { UsageError } from '../command.ts';
import type { Command } from './command-line.ts';

export type Run = {
  workflowId: string;
  workflowType: string;
  history: ReturnType<typeof historyFromJSON>;
};

type RunId = { workflowId: string; runId?: string };

/** Fetched at once, ahead of the replay. */
const AHEAD = 8;
/** The code of gRPC. */
const NOT_FOUND = 5;

type Server = { client: Client; taskQueuePrefix: string };
type Source = { runs: AsyncIterable<Run>; total: number };

/** The histories that a command names. A file needs no server. */
export async function findHistories(
  what: NonNullable<Command['what']>,
  connect: () => Promise<Server>,
): Promise<Source> {
  if (what !== 'open' && 'named' in what) return findNamed(what.named, connect);
  const { client, taskQueuePrefix } = await connect();
  const isOurs = onTaskQueues(taskQueuePrefix);
  const ids =
    what === 'open'
      ? await list(client, `${RUNNING} AND ${isOurs}`, Infinity)
      : await sample(client, isOurs, what.sample);
  return { runs: fetchAhead(client, ids), total: ids.length };
}

async function findNamed(named: string[], connect: () => Promise<Server>): Promise<Source> {
  const files = named.filter((name) => existsSync(name));
  const ids = named.filter((name) => !files.includes(name));
  const server = ids.length > 0 ? await connect() : null;
  async function* runs() {
    for (const file of files) yield await readRun(file);
    for (const workflowId of ids) {
      const run = await fetchRun(server!.client, { workflowId });
      if (!run) throw new UsageError(`There is no file and no workflow "${workflowId}".`);
      yield run;
    }
  }
  return { runs: runs(), total: named.length };
}

async function readRun(file: string): Promise<Run> {
  try {
    return describe(file, historyFromJSON(JSON.parse(await readFile(file, 'utf8'))));
  } catch (error) {
    const reason = (error as Error).message;
    throw new UsageError(`${file} holds no history: ${reason}`, { cause: error });
  }
}

function describe(workflowId: string, history: Run['history']): Run {
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new Error('it does not begin with the start of a workflow');
  return { workflowId, workflowType: started.workflowType?.name ?? '', history };
}

async function list(client: Client, query: string, limit: number): Promise<RunId[]> {
  const found: RunId[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query, pageSize: 1_000 })) {
    if (found.push({ workflowId, runId }) >= limit) break;
  }
  return found;
}

/** Takes the types in turns, so that a rare type is not crowded out by a frequent one. */
async function sample(client: Client, isOurs: string, size: number): Promise<RunId[]> {
  const byType: RunId[][] = [];
  for (const type of WORKFLOW_TYPES) {
    byType.push(await list(client, `WorkflowType = "${type}" AND ${isOurs}`, size));
  }
  const turns = Math.max(...byType.map((ids) => ids.length));
  const inTurns = Array.from({ length: turns }, (_, turn) =>
    byType.flatMap((ids) => ids[turn] ?? []),
  );
  return inTurns.flat().slice(0, size);
}

async function* fetchAhead(client: Client, ids: RunId[]): AsyncGenerator<Run> {
  const fetching: Promise<Run | null>[] = [];
  let next = 0;
  while (next < ids.length || fetching.length > 0) {
    while (fetching.length < AHEAD && next < ids.length) {
      const run = fetchRun(client, ids[next++]!);
      run.catch(() => undefined); // its turn tells
      fetching.push(run);
    }
    const run = await fetching.shift();
    if (run) yield run;
  }
}

/** Returns null for a run that Temporal does not keep any more. */
async function fetchRun(client: Client, { workflowId, runId }: RunId): Promise<Run | null> {
  try {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    return describe(workflowId, history);
  } catch (error) {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    if (isGrpcServiceError(cause) && cause.code === NOT_FOUND) return null;
    throw error;
  }
}
