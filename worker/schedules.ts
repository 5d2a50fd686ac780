import { ScheduleAlreadyRunning, type Client, type ScheduleOptions } from '@temporalio/client';
import { PRIORITIES } from '../domain/outbox/workflow-targets.ts';
import { linkToConsole } from '../domain/outbox/console-link.ts';
import { SCHEDULES, type ScheduledWorkflow } from '../workflows/contracts.ts';

/**
 * Writes the schedules, which run once for the whole installation. An existing schedule gets the
 * current definition; its pause stays.
 */
export async function ensureSchedules(
  client: Client,
  place: Place,
  schedules: readonly ScheduledWorkflow[] = SCHEDULES,
): Promise<void> {
  for (const scheduled of schedules) await ensureSchedule(client, place, scheduled);
}

/** The prefix of task queues and schedules, and the console that their runs link to. */
type Place = { prefix: string; baseUrl: string };

async function ensureSchedule(
  client: Client,
  place: Place,
  scheduled: ScheduledWorkflow,
): Promise<void> {
  const scheduleId = place.prefix + scheduled.workflowType;
  const definition = define(place, scheduled);
  try {
    await client.schedule.create({ scheduleId, ...definition });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = client.schedule.getHandle(scheduleId);
    await handle.update(({ state: { paused, note, remainingActions } }) => ({
      ...definition,
      state: { paused, note, remainingActions },
    }));
  }
}

// The SDK sends it, though its type of an action does not have it.
const LOWEST_PRIORITY = { priority: { priorityKey: PRIORITIES.upkeep } };

function define({ prefix, baseUrl }: Place, scheduled: ScheduledWorkflow) {
  const { workflowType, taskQueue, summary } = scheduled;
  return {
    spec: specOf(scheduled),
    // A missed night is caught up with, and so is a missed Monday.
    policies: { overlap: 'SKIP', catchupWindow: catchupWindowOf(scheduled) },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: prefix + workflowType,
      taskQueue: prefix + taskQueue,
      staticSummary: summary,
      staticDetails: linkToConsole(baseUrl, workflowType),
      workflowRunTimeout: runTimeoutOf(scheduled),
      ...LOWEST_PRIORITY,
    },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
}

function specOf(scheduled: ScheduledWorkflow): ScheduleOptions['spec'] {
  if (!('atHour' in scheduled)) {
    return { intervals: [{ every: `${scheduled.everyMinutes} minutes` }] };
  }
  const { atHour: hour, onDay: dayOfWeek } = scheduled;
  return { calendars: [dayOfWeek === undefined ? { hour } : { hour, dayOfWeek }] };
}

/**
 * A run that cannot go on must not keep the next ones from starting. What runs once a week outlasts
 * an outage, because nothing repeats it before the next week.
 */
function runTimeoutOf(scheduled: ScheduledWorkflow) {
  return 'onDay' in scheduled ? '6 days' : '30 minutes';
}

function catchupWindowOf(scheduled: ScheduledWorkflow) {
  if (!('atHour' in scheduled)) return '1 minute';
  return scheduled.onDay === undefined ? '1 day' : '6 days';
}
