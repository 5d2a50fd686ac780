// Workflows in their sandbox, without a server: a test plays Temporal and reads the commands. So each
// moment can be met: a message during the last step, a history that has grown too long.
import proto from '@temporalio/proto';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker.js';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface.js';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm.js';
import { fromPayload, present, toMs, toPayload, type Asked, type Command } from './commands.ts';

const { WorkflowActivation } = proto.coresdk.workflow_activation;
const { VERSIONING_BEHAVIOR_PINNED: PINNED } = proto.temporal.api.enums.v1.VersioningBehavior;

const EXECUTION_MS = 2_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const MESSAGE = 'message';

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
export type Run = Awaited<ReturnType<Sandbox['start']>>;

/** With a version, as in a worker of a deployment. */
export async function openSandbox(bundle: { code: string }, version: object | null = null) {
  const creator = await ReusableVMWorkflowCreator.create(
    parseWorkflowCode(bundle.code),
    EXECUTION_MS,
    new Set<string>(),
  );
  let runs = 0;
  return {
    /** Begins a run with its arguments and the messages that came before its first task. */
    async start(workflowType: string, args: unknown[], first: unknown[] = []) {
      runs += 1;
      const info = describeRun(workflowType, `run-${runs}`);
      const workflow = await creator.createWorkflow({
        info,
        randomnessSeed: [1, 2, 3, 4, 5, 6, 7, 8],
        now: START,
        showStackTraceSources: false,
        failureExceptionTypeNames: [],
      } as never);
      const tasks = createTasks(workflow, { runId: info.runId, version });
      const initializeWorkflow = {
        workflowType,
        workflowId: info.workflowId,
        arguments: args.map(toPayload),
        randomnessSeed: 7,
        attempt: 1,
        startTime: { seconds: START / 1_000 },
      };
      await tasks.activate({ initializeWorkflow }, ...first.map(signalJob));
      return { ...createEvents(tasks), ...createQuestions(tasks) };
    },
  };
}

function describeRun(workflowType: string, runId: string) {
  return {
    workflowId: `${workflowType}-1`,
    runId,
    workflowType,
    searchAttributes: {},
    taskQueue: 'sandbox',
    namespace: 'default',
    firstExecutionRunId: runId,
    originalExecutionRunId: runId,
    startTime: new Date(START),
    runStartTime: new Date(START),
    taskTimeoutMs: 10_000,
    attempt: 1,
    historyLength: 3,
    historySize: 100,
    continueAsNewSuggested: false,
    unsafe: { now: () => START, isReplaying: false, isReplayingHistoryEvents: false },
  };
}

type Tasks = ReturnType<typeof createTasks>;

/** One activation is one workflow task. */
function createTasks(
  workflow: Workflow,
  { runId, version }: { runId: string; version: object | null },
) {
  const activities = new Map<number, string>();
  const timers = new Map<number, number>();
  const state = { nowMs: START, isLong: false, asked: [] as Asked[], versioning: 0 };

  function note(commands: Command[]): void {
    for (const { scheduleActivity, startTimer, cancelTimer } of commands) {
      if (scheduleActivity) activities.set(scheduleActivity.seq!, scheduleActivity.activityType!);
      if (startTimer) timers.set(startTimer.seq!, toMs(startTimer.startToFireTimeout)!);
      if (cancelTimer) timers.delete(cancelTimer.seq!);
    }
  }

  return {
    workflow,
    runId,
    activities,
    timers,
    state,
    async activate(...jobs: object[]): Promise<Asked[]> {
      const { nowMs, isLong } = state;
      const completion = await workflow.activate(
        WorkflowActivation.fromObject({
          runId,
          timestamp: { seconds: Math.floor(nowMs / 1_000), nanos: (nowMs % 1_000) * 1e6 },
          historyLength: 10,
          historySizeBytes: 100,
          continueAsNewSuggested: isLong,
          deploymentVersionForCurrentTask: version,
          jobs,
        }),
      );
      if (completion.failed) throw new Error(completion.failed.failure?.message ?? 'it failed');
      const commands = completion.successful?.commands ?? [];
      note(commands);
      state.asked = commands.map(present);
      state.versioning = completion.successful?.versioningBehavior ?? 0;
      return state.asked;
    },
  };
}

/** An undefined message is a signal without input. */
const signalJob = (message: unknown) => ({
  signalWorkflow: {
    signalName: MESSAGE,
    input: message === undefined ? [] : [toPayload(message)],
    identity: 'test',
  },
});

const resultJob = (seq: number, result: unknown) => ({
  resolveActivity: { seq, result: { completed: { result: toPayload(result) } } },
});

const failureJob = (seq: number, message: string) => ({
  resolveActivity: {
    seq,
    result: { failed: { failure: { message, applicationFailureInfo: { type: 'Error' } } } },
  },
});

/** What happens to a run. Each answers with what the run then asks for. */
function createEvents({ activate, activities, timers, state }: Tasks) {
  function take<Value>(open: Map<number, Value>, isWanted: (value: Value) => boolean) {
    const found = [...open].find(([, value]) => isWanted(value));
    if (!found) throw new Error('nothing of that kind is open');
    open.delete(found[0]);
    return found;
  }
  return {
    signal: (...messages: unknown[]) => activate(...messages.map(signalJob)),
    /** The result of the open activity; messages come in the same task. */
    async answer(result: unknown, meanwhile: object[] = []): Promise<Asked[]> {
      const [seq] = take(activities, () => true);
      state.nowMs += 1_000;
      return activate(...meanwhile.map(signalJob), resultJob(seq, result));
    },
    /** The result of an open activity by its name. */
    async answerOf(name: string, result: unknown): Promise<Asked[]> {
      const [seq] = take(activities, (type) => type === name);
      return activate(resultJob(seq, result));
    },
    /** The open activity has failed for good. */
    async fail(message: string): Promise<Asked[]> {
      const [seq] = take(activities, () => true);
      return activate(failureJob(seq, message));
    },
    /** The open timer passes. */
    async pass(): Promise<Asked[]> {
      const [seq, milliseconds] = take(timers, () => true);
      state.nowMs += milliseconds;
      return activate({ fireTimer: { seq } });
    },
    update: (name: string, id = 'update-1', ...args: unknown[]) =>
      activate({
        doUpdate: {
          id,
          protocolInstanceId: `${id}-protocol`,
          name,
          input: args.map(toPayload),
          headers: {},
          meta: { updateId: id, identity: 'test' },
          runValidator: true,
        },
      }),
    /** From now on Temporal suggests a new run. */
    grow: () => void (state.isLong = true),
  };
}

/** What a test or an operator may ask at any moment. */
function createQuestions({ workflow, runId, state }: Tasks) {
  async function query(queryType: string): Promise<unknown> {
    const { successful } = await workflow.activate(
      WorkflowActivation.fromObject({
        runId,
        jobs: [{ queryWorkflow: { queryId: queryType, queryType, arguments: [] } }],
      }),
    );
    return fromPayload(successful?.commands?.[0]?.respondToQuery?.succeeded?.response);
  }
  return {
    query,
    async details(): Promise<string> {
      const metadata = await query('__temporal_workflow_metadata');
      return (metadata as { currentDetails: string }).currentDetails;
    },
    /** The commands of the latest task. */
    asked: () => state.asked,
    /** The commands of one kind among them. */
    only: (kind: string) => state.asked.filter((each) => kind in each),
    /** What the latest task says of the build that may run the next one. */
    isPinned: () => state.versioning === PINNED,
    nowMs: () => state.nowMs,
  };
}
