import { randomUUID } from 'node:crypto';
import type { Database } from '../../../platform/database/database.ts';
import type { WorkflowTarget } from '../../../domain/outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../../domain/outbox/outbox.repository.ts';
import { eventually } from '../eventually.ts';
import type { Stage } from '../engines/worker.ts';

const HOUR_MS = 3_600_000;

/** One visit of the schedule; what it told the actors is still on its way. */
export async function reconcileNow({ client, prefix }: Stage) {
  const workflowId = `${prefix}reconcile-${randomUUID()}`;
  const options = { taskQueue: `${prefix}money`, workflowId };
  const found = (await client.workflow.execute('reconcile', options)) as { asked: number };
  return { workflowId, ...found };
}

/** One visit of its schedule: what was overdue, by kind; the messages are still on their way. */
export async function sweepNow({ client, prefix }: Stage) {
  const options = { taskQueue: `${prefix}upkeep`, workflowId: `${prefix}sweep-${randomUUID()}` };
  const { overdue } = (await client.workflow.execute('sweep', options)) as {
    overdue: Record<string, number>;
  };
  return overdue;
}

/** Starts an actor that nothing has been heard of yet, as reconciliation would ten minutes later. */
export function wakeActor(database: Database, actor: WorkflowTarget): Promise<void> {
  return database.transaction((em) => sendToWorkflow(em, actor, { kind: 'asked' }));
}

/** Time passes for the database alone: no actor is there to wait. */
export async function passHoursUnwatched({ testDatabase }: Stage, hours: number): Promise<void> {
  await testDatabase.advance(hours * HOUR_MS);
}

/** Until the actor of what is clearing has asked the processor, and knows when to ask it again. */
export async function untilAnswered({ testDatabase }: Stage, purchaseId: string): Promise<void> {
  const later = `select 1 from purchase
    where id = $1 and ask_again_at > gatehouse_now() + interval '2 hours'`;
  await eventually(
    () => testDatabase.query(later, [purchaseId]),
    (found) => found.length === 1,
  );
}

/** Until the simulator has noticed that the time of what clears late has come. */
export async function untilNothingClears({ testDatabase }: Stage): Promise<void> {
  const clearing = `select 1 from simulator.payment_intent where status = 'processing'`;
  await eventually(
    () => testDatabase.query(clearing),
    (found) => found.length === 0,
  );
}

type AlertRow = { kind: string; times: number; resolved_at: Date | null };

export async function alertsAbout({ testDatabase }: Stage, subject: string): Promise<AlertRow[]> {
  return testDatabase.query(
    'select kind, times, resolved_at from alert where subject = $1 order by id',
    [subject],
  );
}
