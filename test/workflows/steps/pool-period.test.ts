import test from 'ava';
import {
  instantAfter,
  message,
  POOL_TRIES,
  TRIES,
  useSandbox,
} from '../../support/workflows/moments.ts';

const start = useSandbox();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const INPUT = { periodId: '2026-11:EUR' };
const SUMS = 'Members 1, without a day 0; fees 9.99 EUR';

const period = (status: string, changes: object = {}) => ({
  status,
  freezeDueAt: '2026-12-04T00:00:00.000Z',
  remainingMs: 0,
  problem: null,
  sums: null,
  listed: 0,
  payouts: 0,
  openPayouts: 0,
  ...changes,
});
const reading = (summary = 'asking again') => ({
  activity: 'readPoolPeriod',
  input: INPUT,
  summary,
  ...TRIES.records,
});
const making = (activity: string) => ({ activity, input: INPUT, ...POOL_TRIES.pools });
const finishing = { activity: 'finishPool', input: INPUT, ...TRIES.records };
const previewing = { activity: 'previewPool', input: INPUT, ...POOL_TRIES.previews };
const begin = (first: object[] = [message('1', 'opened')], ...pending: object[]) =>
  start('poolPeriod', [INPUT, ...pending], first);
const shown = (Status: string, DueAt: string | null = null) => ({ attributes: { Status, DueAt } });

/** A run that has read the row once, as it stood. */
async function beginAt(status: string, changes: object = {}) {
  const run = await begin();
  await run.answer(period(status, changes));
  return run;
}

test('it waits until the period is frozen, by the database clock', async (t) => {
  const run = await begin();
  t.is(await run.query('status'), 'reading');
  t.deepEqual(run.asked(), [reading('received: opened')]);
  await run.answer(period('open', { remainingMs: 8 * DAY_MS }));
  const until = instantAfter(run, 8 * DAY_MS);
  const details = `open: will be frozen at ${until}`;
  t.deepEqual(run.asked(), [shown('open', until), { timerMs: 8 * DAY_MS, summary: details }]);
  t.is(await run.details(), details);
  t.is(await run.query('status'), 'open');
  t.deepEqual(await run.pass(), [reading()]);
  t.deepEqual(await run.answer(period('open')), [shown('open'), making('freezePool')]);
  t.is(await run.details(), 'open');
});

test('a timer that ends before the database clock waits for the rest', async (t) => {
  const run = await beginAt('open', { remainingMs: DAY_MS });
  await run.pass();
  await run.answer(period('open', { remainingMs: 700 }));
  t.like(run.asked().at(-1), { timerMs: 700 });
  await run.pass();
  await run.answer(period('open', { remainingMs: 1 }));
  t.like(run.asked().at(-1), { timerMs: 1 });
});

test('only an open period waits for its month, and only one that pays for its payouts', async (t) => {
  const frozen = await beginAt('frozen', { remainingMs: DAY_MS });
  t.deepEqual(frozen.asked().at(-1), making('computePool'));
  await frozen.answer({ status: 'frozen', problem: 'p' });
  await frozen.answer(period('frozen', { remainingMs: DAY_MS }));
  t.like(frozen.asked().at(-1), { timerMs: HOUR_MS });
  const approved = await beginAt('approved', { openPayouts: 1 });
  t.deepEqual(approved.asked().at(-1), making('startPoolPayouts'));
  const paying = await beginAt('paying', { openPayouts: 1, payouts: 1 });
  t.like(paying.asked().at(-1), { timerMs: DAY_MS });
});

test('each step follows the one before at once, and the row is read between them', async (t) => {
  const run = await beginAt('open');
  t.deepEqual(await run.answer({ status: 'frozen' }), [reading()]);
  t.deepEqual(await run.answer(period('frozen')), [shown('frozen'), making('computePool')]);
  t.deepEqual(await run.answer({ status: 'computed' }), [reading()]);
  const computed = period('computed', { sums: SUMS });
  t.deepEqual(await run.answer(computed), [shown('computed'), making('reviewPool')]);
  t.is(await run.details(), `computed: ${SUMS}`);
  t.deepEqual(await run.answer({ listed: 2 }), [reading()]);
  await run.answer(period('in_review', { sums: SUMS, listed: 2 }));
  const details = `in_review: waits for the approval of an operator; on the review list: 2 products; ${SUMS}`;
  t.deepEqual(run.asked(), [
    shown('in_review', instantAfter(run, DAY_MS)),
    { timerMs: DAY_MS, summary: details },
  ]);
  const heard = await run.signal(message('2', 'approved'));
  t.deepEqual(heard, [{ cancelled: 'timer' }, reading('received: approved')]);
  t.deepEqual(await run.answer(period('approved')), [
    shown('approved'),
    making('startPoolPayouts'),
  ]);
  t.deepEqual(await run.answer({ status: 'paying', problem: null }), [reading()]);
  await run.answer(period('paying', { payouts: 3, openPayouts: 2 }));
  const paying = 'paying: 2 of 3 payouts are under way';
  t.deepEqual(run.asked().at(-1), { timerMs: DAY_MS, summary: paying });
  await run.signal(message('3', 'payout_ended'));
  t.deepEqual(await run.answer(period('paying', { payouts: 3 })), [shown('paying'), finishing]);
  await run.answer({ isPaid: true });
  const paid = await run.answer(period('paid', { sums: SUMS }));
  t.deepEqual(paid, [shown('paid'), { completed: 'paid' }]);
  t.is(await run.details(), `paid: ${SUMS}`);
});

test('nobody says that the last payout has ended: it looks once a day', async (t) => {
  const run = await beginAt('paying', { payouts: 1, openPayouts: 1 });
  t.deepEqual(await run.pass(), [reading()]);
  t.deepEqual((await run.answer(period('paying', { payouts: 1 }))).at(-1), finishing);
});

test('in review it reads the row once a day: an approval is not lost', async (t) => {
  const run = await beginAt('in_review');
  t.deepEqual(await run.pass(), [reading()]);
  t.deepEqual((await run.answer(period('approved'))).at(-1), making('startPoolPayouts'));
});

for (const status of ['empty', 'paid', 'missing']) {
  test(`a period that is ${status} ends its run; a message during the last step is received`, async (t) => {
    const run = await begin();
    await run.answer(period(status), [message('2', 'late')]);
    t.deepEqual(run.asked(), [shown(status), reading('received: late')]);
    t.deepEqual(await run.answer(period(status)), [shown(status), { completed: status }]);
  });
}

for (const [status, activity] of [
  ['frozen', 'computePool'],
  ['approved', 'startPoolPayouts'],
] as const) {
  test(`a ${status} period with a problem says so, and tries again every hour`, async (t) => {
    const run = await beginAt(status);
    const problem = 'the sums do not balance';
    for (const inRow of [null, problem]) {
      t.deepEqual(run.asked().at(-1), making(activity));
      t.deepEqual(await run.answer({ status, problem }), [reading()]);
      await run.answer(period(status, { problem: inRow }));
      const until = instantAfter(run, HOUR_MS);
      const details = `stopped at ${status}: ${problem}; tries again at ${until}`;
      t.deepEqual(run.asked(), [shown('stopped', until), { timerMs: HOUR_MS, summary: details }]);
      t.is(await run.details(), details);
      t.is(await run.query('status'), status);
      t.deepEqual(await run.pass(), [reading()]);
      await run.answer(period(status, { problem: inRow }));
      t.is(await run.details(), inRow === null ? status : `stopped at ${status}: ${problem}`);
    }
  });

  test(`a message makes a ${status} period with a problem try again at once`, async (t) => {
    const run = await beginAt(status);
    await run.answer({ status, problem: 'p' });
    await run.answer(period(status, { problem: 'p' }));
    const heard = await run.signal(message('2', 'overdue'));
    t.deepEqual(heard, [{ cancelled: 'timer' }, reading('received: overdue')]);
    t.deepEqual((await run.answer(period(status, { problem: 'p' }))).at(-1), making(activity));
  });
}

test('a step that moves nothing is not made again at once', async (t) => {
  for (const [status, result] of [
    ['open', { status: 'open' }],
    ['computed', { listed: 0 }],
    ['paying', { isPaid: false }],
  ] as const) {
    const run = await beginAt(status);
    await run.answer(result);
    const waitMs = status === 'paying' ? DAY_MS : HOUR_MS;
    t.like((await run.answer(period(status))).at(-1), { timerMs: waitMs });
    t.deepEqual(await run.pass(), [reading()]);
  }
  const computed = await beginAt('computed');
  await computed.answer({ listed: 0 });
  await computed.answer(period('computed'));
  t.is(await computed.details(), `computed: tries again at ${instantAfter(computed, HOUR_MS)}`);
});

test('a preview is made when it is asked for, in every status, and never ends the run', async (t) => {
  const run = await begin([message('1', 'preview')]);
  t.deepEqual(run.asked(), [previewing]);
  t.deepEqual(await run.answer({ status: 'open' }), [reading('received: preview')]);
  await run.answer(period('open', { remainingMs: DAY_MS }));
  await run.signal(message('2', 'preview'), message('3', 'preview'));
  t.deepEqual(run.only('activity'), [previewing], 'one for all that ask');
  t.deepEqual(await run.fail('no figures'), [reading('received: preview, preview')]);
  await run.answer(period('in_review'));
  t.deepEqual(await run.signal(message('4', 'preview')), [{ cancelled: 'timer' }, previewing]);
  const over = await begin([message('1', 'preview')]);
  await over.answer({ status: 'paid' });
  t.deepEqual((await over.answer(period('paid'))).at(-1), { completed: 'paid' });
});

const CODE = `${'0'.repeat(36)}.699.1234567890123.${'s'.repeat(43)}`;
const WHERE = 'the page of the month in the console makes one';
const rejected = (reason: string) => ({ update: 'rejected', reason });

test('an operator approves by Update: the row decides', async (t) => {
  for (const [answer, result] of [
    ['approved', { update: 'completed', result: 'approved' }],
    ['unchanged', { update: 'completed', result: 'unchanged' }],
    ['invalid_code', rejected(`the code is not of this month, or not of an operator: ${WHERE}`)],
    ['expired_code', rejected(`the code is older than five minutes: ${WHERE}`)],
  ] as const) {
    const run = await beginAt('in_review');
    t.deepEqual(await run.update('approve', 'the-id', CODE), [
      { update: 'accepted' },
      { activity: 'approvePool', input: { ...INPUT, code: CODE }, ...TRIES.records },
    ]);
    t.deepEqual(await run.answer(answer), [result]);
  }
});

test('an approval is refused unless the period is in review and it brings a code', async (t) => {
  const refused = (reason: string) => [rejected(reason)];
  const early = await begin();
  const ask = ['approve', 'the-id', CODE] as const;
  t.deepEqual(await early.update(...ask), refused('it is not in review: reading'));
  for (const status of ['computed', 'approved', 'paying']) {
    const run = await beginAt(status, { openPayouts: 1 });
    t.deepEqual(await run.update(...ask), refused(`it is not in review: ${status}`));
  }
  const run = await beginAt('in_review');
  const noCodes = [[], [null], [7], [''], ['ada'], [`${CODE} `], [CODE.replace('.', '')]];
  for (const [at, given] of noCodes.entries()) {
    const reason = `that is no code: ${WHERE}`;
    t.deepEqual(await run.update('approve', `id-${at}`, ...given), refused(reason));
  }
  t.deepEqual((await run.update('approve', 'last', CODE))[0], { update: 'accepted' });
});

test('a period that ends or grows long answers an open approval first', async (t) => {
  const isOver = (each: object) => 'completed' in each || 'continued' in each;
  for (const status of ['paid', 'approved']) {
    const run = await beginAt('in_review');
    await run.update('approve', 'the-id', CODE);
    if (status === 'approved') run.grow();
    await run.signal(message('2', 'approved'));
    t.false((await run.answerOf('readPoolPeriod', period(status))).some(isOver));
    const after = await run.answerOf('approvePool', 'unchanged');
    t.deepEqual(after[0], { update: 'completed', result: 'unchanged' });
    t.true(isOver(after.at(-1)!));
  }
});

test('a long period goes on in a new run, with the messages that nobody has read', async (t) => {
  const run = await begin();
  run.grow();
  await run.answer(period('paying', { openPayouts: 1 }), [message('2', 'preview')]);
  const pending = { seen: ['1', '2'], waiting: [message('2', 'preview')] };
  t.deepEqual(run.asked().at(-1), { continued: 'poolPeriod', args: [INPUT, pending] });
  const next = await begin([], pending);
  t.deepEqual(next.asked(), [previewing]);
  const over = await begin();
  over.grow();
  t.deepEqual((await over.answer(period('paid'))).at(-1), { completed: 'paid' });
});

test('new months are opened by one activity', async (t) => {
  const run = await start('poolMonths', []);
  t.deepEqual(run.asked(), [{ activity: 'openPoolPeriods', input: undefined, ...TRIES.records }]);
  const done = { opened: ['2026-11:EUR'], woken: 0 };
  t.deepEqual(await run.answer(done), [{ completed: done }]);
});
