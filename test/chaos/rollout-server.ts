// The steps of the guide "Roll out a new build", by the CLI, and what Temporal says of the runs.
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { findTemporal } from '../../dev/temporal-binary.ts';
import { run } from '../../dev/process/run.ts';
import { readHostEnvironment } from '../../platform/config.ts';
import { eventually } from '../support/eventually.ts';

export const DEPLOYMENT = 'gatehouse';
/** A run that a reset has ended keeps its problems: without the status it would be reset again. */
export const FAILING =
  'ExecutionStatus = "Running" AND TemporalReportedProblems IN ("category=WorkflowTaskFailed", "category=WorkflowTaskTimedOut")';

const TIMEOUT_MS = 240_000;

export function openServer(client: Client, address: string, signal: AbortSignal) {
  const cli = createCli(address, signal);
  const inDeployment = (verb: string, buildId: string, ...more: string[]) =>
    eventually(
      // Until the workers of the build have reported to each of their task queues.
      () =>
        cli(
          ['worker', 'deployment', verb, '--deployment-name', DEPLOYMENT].concat(
            ['--build-id', buildId, '--yes'],
            more,
          ),
        ),
      (refusal) => refusal === '',
      TIMEOUT_MS,
    );
  const count = async (query: string) => (await client.workflow.count(query)).count;
  return {
    ramp: (buildId: string, percentage: number) =>
      inDeployment('set-ramping-version', buildId, '--percentage', String(percentage)),
    setCurrent: (buildId: string) => inDeployment('set-current-version', buildId),
    reset: () =>
      cli(
        ['workflow', 'reset', '--query', FAILING, '--type', 'FirstWorkflowTask'].concat(
          ['--reason', 'roll-back'],
          '--yes',
        ),
      ),
    count,
    until: (query: string, isThere: (count: number) => boolean) =>
      eventually(() => count(query), isThere, TIMEOUT_MS),
    /** The number stays the same for so long. */
    async untilSteady(query: string, forMs: number): Promise<number> {
      let last = { count: -1, since: Date.now() };
      await eventually(
        async () => {
          const counted = await count(query);
          if (counted !== last.count) last = { count: counted, since: Date.now() };
          return Date.now() - last.since;
        },
        (steadyMs) => steadyMs >= forMs,
        TIMEOUT_MS,
      );
      return last.count;
    },
    countMisfits: (workflowType: string) => countMisfits(client, workflowType),
  };
}

/** Temporal's CLI, which answers with what it refuses; with nothing when it is done. */
function createCli(address: string, signal: AbortSignal) {
  return async (words: string[]): Promise<string> => {
    const binary = await findTemporal(signal);
    const env = { ...readHostEnvironment(), TEMPORAL_ADDRESS: address };
    const { failed, all } = await run(binary, words, { env, cancelSignal: signal, reject: false });
    return failed ? String(all?.at(-1)) : '';
  };
}

/** Runs of a type, also ended ones, in whose history a task failed because the code did not fit. */
async function countMisfits(client: Client, workflowType: string): Promise<number> {
  let misfits = 0;
  const runs = client.workflow.list({ query: `WorkflowType = "${workflowType}"` });
  for await (const { history } of runs.intoHistories({ concurrency: 8 })) {
    const { events } = history as temporal.api.history.v1.IHistory;
    const isMisfit = events?.some(
      ({ workflowTaskFailedEventAttributes: failed }) =>
        failed && /[Nn]on-?determinis/.test(String(failed.failure?.message)),
    );
    if (isMisfit) misfits += 1;
  }
  return misfits;
}
