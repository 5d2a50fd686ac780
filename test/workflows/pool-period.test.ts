import { randomUUID } from 'node:crypto';
import test from 'ava';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ensureSchedules } from '../../worker/schedules.ts';
import { approveUpdate, SCHEDULES, statusQuery } from '../../workflows/contracts.ts';
import { makeApprovalCode } from '../../domain/pool/period/approval-code.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { eventually } from '../support/eventually.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';
import { createPoolFakes } from '../support/pool/runs/pool-fakes.ts';
import {
  addOperator,
  openMonths,
  startPeriod,
  type PeriodStory,
} from '../support/pool/pool-periods.ts';
import { INTERRUPTIONS } from '../support/webhooks/interrupting.ts';

const CURRENCY = 'CHF';
const fakes = createPoolFakes();
let stage: Stage;

test.before(async () => {
  stage = await openStage({ taskQueues: ['upkeep'], activities: fakes.activities });
  stage.startPublisher();
  await stage.startWorkers();
});
test.after.always(() => stage?.close());

const callsOf = ({ periodId }: PeriodStory) =>
  fakes.calls.filter((call) => call.endsWith(periodId)).map((call) => call.split(' ')[0]);

/** Somebody has paid for Member in this month. */
async function charged(payouts = 0): Promise<PeriodStory & { payoutIds: string[] }> {
  const story = await startPeriod(stage, CURRENCY);
  await story.isWaiting(1);
  fakes.charged.add(story.periodId);
  const payoutIds = Array.from({ length: payouts }, () => `pool-${randomUUID()}`);
  fakes.payouts.set(story.periodId, payoutIds);
  return { ...story, payoutIds };
}

test.serial('the schedule opens the periods of a new month every night', async (t) => {
  const { client, prefix } = stage;
  const poolMonths = SCHEDULES.find(({ workflowType }) => workflowType === 'poolMonths')!;
  await ensureSchedules(client, { prefix, baseUrl: 'http://localhost:1' }, [poolMonths]);
  const schedule = client.schedule.getHandle(`${prefix}poolMonths`);
  const { spec, action } = await schedule.describe();
  t.like(spec.calendars?.[0], { hour: [{ start: 2, end: 2, step: 1 }] });
  t.is(action.workflowType, 'poolMonths');
  await schedule.delete();
});

test.serial('a month without charges closes itself 72 hours after its end', async (t) => {
  const story = await startPeriod(stage, CURRENCY);
  const [waitMs] = await story.isWaiting(1);
  t.true(Math.abs(waitMs! - (await story.untilFrozenMs())) < 60_000);
  t.is((await story.row()).status, 'open');
  await story.passMonth();
  t.is(await story.result(), 'empty');
  t.deepEqual(callsOf(story), ['freeze']);
  const { searchAttributes } = await story.handle.describe();
  t.deepEqual(searchAttributes['GatehouseStatus'], ['empty']);
});

test.serial('months are approved by click or Update and paid, also late', async (t) => {
  const operator = await addOperator(stage);
  for (let month = 1; month <= 4; month += 1) {
    const story = await charged(month % 3);
    await story.passMonth();
    await story.reaches('in_review');
    await story.says(/^in_review: waits for the approval of an operator/);
    if (month % 4 === 0) await story.passDays(1.1);
    if (month % 2 === 0) await story.approve(operator.personId);
    else {
      const code = await story.codeOf(operator.personId);
      const approved = await story.handle.executeUpdate(approveUpdate, { args: [code] });
      t.is(approved, 'approved');
    }
    if (story.payoutIds.length > 0) await story.reaches('paying');
    for (const [index, id] of story.payoutIds.entries()) await story.endPayout(id, index === 0);
    t.is(await story.result(), 'paid');
    t.deepEqual(callsOf(story), ['freeze', 'compute', 'review', 'pay']);
    t.is((await story.row()).approved_by, operator.personId);
  }
});

test.serial(
  'a computation with a problem stays visible and is tried again each hour',
  async (t) => {
    const story = await charged();
    const problem = 'fees and parts differ by 1';
    fakes.problems.set(`compute ${story.periodId}`, problem);
    await story.passMonth();
    await story.says(/^stopped at frozen: fees and parts differ by 1; tries again at /);
    t.is(await story.handle.query(statusQuery), 'frozen');
    const { searchAttributes } = await story.handle.describe();
    t.deepEqual(searchAttributes['GatehouseStatus'], ['stopped']);
    await story.isWaiting(2);
    await story.passHours(1.01);
    await eventually(
      () => callsOf(story).filter((call) => call === 'compute').length,
      (count) => count === 2,
    );
    const operator = await addOperator(stage);
    const early = await story.codeOf(operator.personId);
    await t.throwsAsync(story.handle.executeUpdate(approveUpdate, { args: [early] }), {
      instanceOf: WorkflowUpdateFailedError,
    });
    fakes.problems.clear();
    await story.isWaiting(3);
    await story.passHours(1.01);
    t.is((await story.reaches('in_review')).problem, null);
  },
);

test.serial('a month whose payouts cannot begin stays approved until they can', async (t) => {
  const story = await charged(1);
  fakes.problems.set(`pay ${story.periodId}`, 'transfers are not proven');
  await story.passMonth();
  await story.reaches('in_review');
  await story.approve((await addOperator(stage)).personId);
  await story.says(/^stopped at approved: transfers are not proven; tries again at /);
  fakes.problems.clear();
  await story.send('overdue');
  await story.reaches('paying');
  await story.says(/^paying: 1 of 1 payouts are under way/);
  await stage.testDatabase.query(
    `update pool_payout set status = 'failed', ended_at = gatehouse_now() where period_id = $1`,
    [story.periodId],
  );
  await story.passDays(1.01);
  t.is(await story.result(), 'paid', 'nobody has said so');
});

test.serial('a preview is made at will, and one that fails holds nothing up', async (t) => {
  const story = await charged();
  await story.send('preview');
  await eventually(
    () => callsOf(story),
    (calls) => calls.length === 1,
  );
  fakes.problems.set(`preview ${story.periodId}`, 'too early');
  await story.send('preview');
  await eventually(
    () => callsOf(story),
    (calls) => calls.length === 4,
  );
  await story.passMonth();
  await story.reaches('in_review');
  t.deepEqual(callsOf(story), [...Array(4).fill('preview'), 'freeze', 'compute', 'review']);
});

test.serial('of an Update, a click in the console and both again, one approves', async (t) => {
  const story = await charged(1);
  const [first, second] = [await addOperator(stage), await addOperator(stage)];
  await story.passMonth();
  await story.says(/^in_review/);
  const update = (code: string) => story.handle.executeUpdate(approveUpdate, { args: [code] });
  const [code, other] = [await story.codeOf(first.personId), await story.codeOf(second.personId)];
  const ways = [() => update(code), () => update(other), () => story.approve(second.personId)];
  const answers = await Promise.allSettled(ways.map((way) => way()));
  const won = answers.filter(
    (answer) => answer.status === 'fulfilled' && answer.value !== 'unchanged',
  );
  t.is(won.length, 1, JSON.stringify(answers));
  await story.reaches('paying');
  t.is(callsOf(story).filter((call) => call === 'pay').length, 1);
  const audited = 'select from audit where subject = $1';
  t.is((await stage.testDatabase.query(audited, [story.periodId])).length, 1);
});

test.serial(
  'in Temporal a name approves nothing, nor does a code that was not made for it',
  async (t) => {
    const story = await charged();
    const [operator, nobody] = [await addOperator(stage), await addProduct(stage.testDatabase)];
    await story.passMonth();
    await story.says(/^in_review/);
    const refusalOf = async (code: string) => {
      const update = story.handle.executeUpdate(approveUpdate, { args: [code] });
      const refused = await t.throwsAsync(update, { instanceOf: WorkflowUpdateFailedError });
      return String((refused as WorkflowUpdateFailedError).cause?.message);
    };
    const code = await story.codeOf(operator.personId);
    const [person, sum, expiry, signature] = code.split('.') as [string, string, string, string];
    const later = String(Number(expiry) + 60_000);
    const foreign = makeApprovalCode(
      { periodId: '2001-01:CHF', personId: person, productsMinor: Number(sum), nowMs: Date.now() },
      (text) => stage.signer.sign('pool_approval', text),
    ).code;
    for (const name of [operator.handle, operator.email, operator.personId, '']) {
      t.regex(await refusalOf(name), /that is no code: the page of the month/, name);
    }
    for (const wrong of [
      [nobody.personId, sum, expiry, signature].join('.'),
      [person, '1', expiry, signature].join('.'),
      [person, sum, later, signature].join('.'),
      foreign,
      await story.codeOf(nobody.personId),
    ]) {
      t.regex(
        await refusalOf(wrong),
        /the code is not of this month, or not of an operator/,
        wrong,
      );
    }
    const old = await story.codeOf(operator.personId, { minutesAgo: 5 });
    t.regex(await refusalOf(old), /the code is older than five minutes: the page of the month/);
    t.is((await story.row()).status, 'in_review');
    t.is(await story.handle.executeUpdate(approveUpdate, { args: [code] }), 'approved');
    t.is(await story.result(), 'paid');
    t.is((await story.row()).approved_by, operator.personId);
  },
);

for (const [how, interrupt] of Object.entries(INTERRUPTIONS)) {
  test.serial(`a run that is ${how} and begins again makes no step twice`, async (t) => {
    const story = await charged(2);
    await story.passMonth();
    await story.says(/^in_review/);
    await interrupt(stage.client, story.workflowId);
    await story.send('overdue');
    await story.runsAgain('in_review');
    const operator = await addOperator(stage);
    const code = await story.codeOf(operator.personId);
    await story.handle.executeUpdate(approveUpdate, { args: [code] });
    await story.says(/^paying/);
    await interrupt(stage.client, story.workflowId);
    const [one, other] = story.payoutIds;
    await story.endPayout(one!);
    await story.endPayout(other!);
    t.is((await story.reaches('paid')).status, 'paid');
    t.deepEqual(callsOf(story), ['freeze', 'compute', 'review', 'pay']);
    await eventually(
      async () => (await story.handle.describe()).status.name,
      (status) => status === 'COMPLETED',
    );
  });
}

test.serial('the schedule wakes what waits for people, where its run is gone', async (t) => {
  const story = await charged();
  await story.passMonth();
  await story.says(/^in_review/);
  await INTERRUPTIONS.terminated(stage.client, story.workflowId);
  await openMonths(stage);
  await t.notThrowsAsync(story.runsAgain('in_review'));
});
