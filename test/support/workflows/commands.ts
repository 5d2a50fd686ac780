// The commands of a workflow, as a test reads them.
import { defaultPayloadConverter } from '@temporalio/common';
import type { coresdk, temporal } from '@temporalio/proto';

export type Command = coresdk.workflow_commands.IWorkflowCommand;
type Payload = temporal.api.common.v1.IPayload;
type Duration = { seconds?: unknown; nanos?: number | null };

export type Asked = Record<string, unknown>;

export const toPayload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value)!;

export function fromPayload(payload: Payload | null | undefined): unknown {
  if (!payload?.data) return undefined;
  const text = Buffer.from(payload.data).toString();
  return text === '' ? null : JSON.parse(text);
}

export function toMs(duration: Duration | null | undefined): number | null {
  if (!duration) return null;
  return Number(duration.seconds ?? 0) * 1_000 + (duration.nanos ?? 0) / 1e6;
}

export function present(command: Command): Asked {
  const summary = fromPayload(command.userMetadata?.summary);
  if (command.scheduleActivity) return presentActivity(command.scheduleActivity, summary);
  if (command.startTimer) return { timerMs: toMs(command.startTimer.startToFireTimeout), summary };
  if (command.cancelTimer) return { cancelled: 'timer' };
  if (command.upsertWorkflowSearchAttributes) {
    return { attributes: presentAttributes(command.upsertWorkflowSearchAttributes) };
  }
  if (command.completeWorkflowExecution) {
    return { completed: fromPayload(command.completeWorkflowExecution.result) };
  }
  if (command.continueAsNewWorkflowExecution) {
    const { workflowType, arguments: args } = command.continueAsNewWorkflowExecution;
    return { continued: workflowType, args: (args ?? []).map(fromPayload) };
  }
  if (command.failWorkflowExecution) {
    return { failed: command.failWorkflowExecution.failure?.message };
  }
  if (command.updateResponse) return presentUpdate(command.updateResponse);
  return { other: Object.keys(command) };
}

function presentActivity(
  activity: coresdk.workflow_commands.IScheduleActivity,
  summary: unknown,
): Asked {
  const { retryPolicy } = activity;
  return {
    activity: activity.activityType,
    input: fromPayload(activity.arguments?.[0]),
    ...(summary !== undefined && { summary }),
    startToCloseMs: toMs(activity.startToCloseTimeout),
    scheduleToCloseMs: toMs(activity.scheduleToCloseTimeout),
    heartbeatMs: toMs(activity.heartbeatTimeout),
    retry: retryPolicy && {
      initialMs: toMs(retryPolicy.initialInterval),
      maximumMs: toMs(retryPolicy.maximumInterval),
      attempts: retryPolicy.maximumAttempts ?? 0,
    },
  };
}

function presentAttributes(
  upsert: coresdk.workflow_commands.IUpsertWorkflowSearchAttributes,
): Asked {
  const named = Object.entries(upsert.searchAttributes?.indexedFields ?? {});
  return Object.fromEntries(
    named.map(([name, payload]) => [name.replace('Gatehouse', ''), fromPayload(payload)]),
  );
}

function presentUpdate(update: coresdk.workflow_commands.IUpdateResponse): Asked {
  if (update.accepted) return { update: 'accepted' };
  if (update.rejected) return { update: 'rejected', reason: update.rejected.message };
  return { update: 'completed', result: fromPayload(update.completed) };
}
