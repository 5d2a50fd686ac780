import { randomUUID } from 'node:crypto';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { makeApprovalCode } from '../../../domain/pool/period/approval-code.ts';
import { approvePeriod } from '../../../domain/pool/period/approve-period.repository.ts';
import { poolPeriodWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { sendToWorkflow } from '../../../domain/outbox/outbox.repository.ts';
import { statusQuery } from '../../../workflows/contracts.ts';
import { passTime, skipTime } from '../engines/clock.ts';
import { eventually } from '../eventually.ts';
import { addProduct } from '../catalog/scene.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';
import { addMemberPrice } from './member-charges.ts';

const DAY_MS = 86_400_000;

export type PeriodStory = Awaited<ReturnType<typeof startPeriod>>;

/**
 * The period of the next month, opened by its schedule. The id of its workflow is the same in every
 * database, so each test file has a currency of its own.
 */
export async function startPeriod(stage: Stage, currency: string) {
  const { client, database, testDatabase } = stage;
  await enterNextMonth(stage, currency);
  const periodId = (await openMonths(stage)).find((id) => id.endsWith(currency));
  if (!periodId) throw new Error('no period was opened');
  const { workflowId } = poolPeriodWorkflow(periodId);
  const handle = client.workflow.getHandle(workflowId);
  const row = async () => {
    const sql = 'select * from pool_period where id = $1';
    return (await testDatabase.query<Row>(sql, [periodId]))[0]!;
  };
  const untilFrozenMs = async () => {
    const sql = `select (extract(epoch from freeze_due_at - gatehouse_now()) * 1000)::float as ms
      from pool_period where id = $1`;
    return (await testDatabase.query<{ ms: number }>(sql, [periodId]))[0]!.ms;
  };
  const send = (kind: string) =>
    database.transaction((em) => sendToWorkflow(em, poolPeriodWorkflow(periodId), { kind }));
  return {
    periodId,
    workflowId,
    handle,
    row,
    send,
    ...createDecisions(stage, { periodId, send }),
    reaches: (status: string) => eventually(row, (found) => found.status === status),
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    /** Until its details in Temporal say so. */
    says: (words: RegExp) =>
      eventually(
        async () => detailsOf(stage, workflowId),
        (said) => words.test(said),
      ),
    untilFrozenMs,
    /** Until a run that is not over has read the row. */
    runsAgain: (status: string) =>
      eventually(
        async () => {
          const { status: run } = await handle.describe();
          return run.name === 'RUNNING' ? handle.query(statusQuery) : run.name;
        },
        (found) => found === status,
      ),
    /** Past the instant from which it may be frozen, by both clocks. */
    async passMonth() {
      const milliseconds = (await untilFrozenMs()) + 60_000;
      await passTime(testDatabase, { client, workflowId, milliseconds });
    },
    passHours: (hours: number) => skipTime({ client, workflowId, milliseconds: hours * 3_600_000 }),
    passDays: (days: number) => skipTime({ client, workflowId, milliseconds: days * DAY_MS }),
    /** As the page of the month shows it to an operator, so many minutes ago. */
    codeOf: (personId: string, { minutesAgo = 0 } = {}) =>
      approvalCodeOf(stage, { periodId, personId, minutesAgo }),
    async result(): Promise<string> {
      return handle.result();
    },
  };
}

type Period = { periodId: string; send: (kind: string) => Promise<unknown> };

/** What ends the waits of a period. */
function createDecisions({ database, testDatabase }: Stage, { periodId, send }: Period) {
  return {
    /** As the console does it. */
    async approve(byId: string) {
      const approved = await database.transaction((em) => approvePeriod(em, { periodId, byId }));
      if (isRefusal(approved)) throw new Error(approved.refused);
    },
    /** As the workflow of a payout does it. */
    async endPayout(payoutId: string, isPaid = true) {
      await testDatabase.query(
        `update pool_payout set ended_at = gatehouse_now(), status = $2,
           transfer_id = case when $2 = 'paid' then id end where id = $1`,
        [payoutId, isPaid ? 'paid' : 'failed'],
      );
      await send('payout_ended');
    },
  };
}

/** As the page of a month shows it to an operator, so many minutes ago. */
export async function approvalCodeOf(
  { testDatabase, signer }: Pick<Stage, 'testDatabase' | 'signer'>,
  given: { periodId: string; personId: string; minutesAgo?: number },
): Promise<string> {
  const { periodId, personId, minutesAgo = 0 } = given;
  const [found] = await testDatabase.query<{ at: Date; productsMinor: number | null }>(
    `select gatehouse_now() as at, products_minor::int as "productsMinor"
     from pool_period where id = $1`,
    [periodId],
  );
  const { at, productsMinor } = found!;
  const nowMs = at.getTime() - minutesAgo * 60_000;
  const month = { periodId, personId, productsMinor: productsMinor ?? 0, nowMs };
  return makeApprovalCode(month, (text) => signer.sign('pool_approval', text)).code;
}

type Row = { status: string; problem: string | null; approved_by: string | null };

/** The first second of the next month in UTC, unless this month has no period yet. */
async function enterNextMonth({ testDatabase }: Stage, currency: string): Promise<void> {
  const prices = 'select from member_price where currency = $1';
  const isSold = (await testDatabase.query(prices, [currency])).length > 0;
  if (!isSold) await addMemberPrice(testDatabase, { currency });
  const known = `select from pool_period
    where currency = $1 and month = date_trunc('month', gatehouse_now(), 'UTC')::date`;
  if ((await testDatabase.query(known, [currency])).length === 0) return;
  const [{ ms }] = (await testDatabase.query<{ ms: number }>(
    `select (extract(epoch from date_trunc('month', gatehouse_now(), 'UTC') + interval '1 month'
       - gatehouse_now()) * 1000)::float as ms`,
  )) as [{ ms: number }];
  await testDatabase.advance(ms + 1_000);
}

/** One visit of the schedule. */
export async function openMonths({ client, prefix }: Stage): Promise<string[]> {
  const workflowId = `${prefix}poolMonths-${randomUUID()}`;
  const options = { taskQueue: `${prefix}upkeep`, workflowId };
  const { opened } = (await client.workflow.execute('poolMonths', options)) as { opened: string[] };
  return opened;
}

export async function addOperator({ testDatabase }: Stage) {
  const { personId } = await addProduct(testDatabase);
  const [found] = await testDatabase.query<{ handle: string; email: string }>(
    'update person set is_operator = true where id = $1 returning handle, email',
    [personId],
  );
  return { personId, ...found! };
}

async function detailsOf({ client }: Stage, workflowId: string): Promise<string> {
  const metadata = await client.workflow
    .getHandle(workflowId)
    .query('__temporal_workflow_metadata');
  return (metadata as { currentDetails: string }).currentDetails;
}
