import test from 'ava';
import { message, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const MINUTE_MS = 60_000;
const INPUT = { cohort: 'deliveries:endpoint:1' };

const cohort = (changes: object = {}) => ({
  open: 3,
  dead: 0,
  step: 1,
  dueAt: null,
  remainingMs: MINUTE_MS,
  isEarly: false,
  productId: 'product',
  endpointId: 'endpoint',
  endpointHost: 'api.example',
  lastStatusCode: 503,
  lastError: 'http_status',
  ...changes,
});
const reading = { activity: 'readCohort', input: INPUT, ...TRIES.records };
const attempting = { activity: 'attemptCohort', input: INPUT, ...TRIES.deliveries };
const begin = (first: object[] = [message('1')], ...pending: object[]) =>
  start('deliveryCohort', [INPUT, ...pending], first);

test('it reads its rows, shows them and waits for the next retry', async (t) => {
  const run = await begin();
  t.is(await run.query('status'), 'reading');
  t.deepEqual(run.asked(), [reading]);
  await run.answer(cohort());
  t.like(run.asked()[0], {
    attributes: {
      Status: 'retrying',
      Product: 'product',
      Endpoint: 'endpoint',
      Attempt: 1,
      DueAt: null,
    },
  });
  t.like(run.asked()[1], { timerMs: MINUTE_MS });
  t.regex(String(run.asked()[1]!['summary']), /^retry 1 of 5 in 1 min.*3 open, 0 dead/);
  t.regex(await run.details(), /^retrying: .*3 open, 0 dead/);
  await run.pass();
  t.like(run.asked().at(-1), attempting);
  t.regex(String(run.asked().at(-1)!['summary']), /^retry 1 of 5: .*3 open, 0 dead/);
});

test('it waits until the due time by the clock, and says what is ahead', async (t) => {
  const run = await begin();
  const dueAt = '2026-01-01T00:00:41.000Z';
  await run.answer(cohort({ open: 1, dueAt }));
  const details = 'retrying: 1 open, 0 dead, to api.example; retry 1 of 5 due';
  t.is(await run.details(), `${details} ${dueAt}; last answer 503`);
  t.deepEqual(run.asked().at(-1), {
    timerMs: 40_000,
    summary: 'retry 1 of 5 in 40 s: 1 open, 0 dead',
  });
  t.is(await run.query('status'), 'retrying');
});

test('retries that are due within two seconds are made together', async (t) => {
  const run = await begin();
  await run.answer(cohort({ remainingMs: 10 }));
  t.like(run.asked().at(-1), { timerMs: 2_000 });
});

test('it ends as its rows ended, and without any', async (t) => {
  for (const [answer, status] of [
    [cohort({ open: 0, dead: 2 }), 'dead'],
    [cohort({ open: 0, dead: 1 }), 'dead'],
    [cohort({ open: 0, dead: 0, step: null }), 'finished'],
    [null, 'finished'],
  ] as const) {
    const run = await begin();
    await run.answer(answer);
    t.deepEqual(run.asked().at(-1), { completed: status });
    t.is(await run.query('status'), status);
    t.regex(await run.details(), new RegExp(`^${status}(: |$)`));
    t.is((run.only('attributes')[0]!['attributes'] as { DueAt: unknown }).DueAt, null);
  }
});

test('a message leads to a reading, also during the last attempt', async (t) => {
  const run = await begin();
  await run.answer(cohort());
  t.deepEqual(await run.signal(message('1')), [], 'seen already');
  t.deepEqual(await run.signal(message('2')), [{ cancelled: 'timer' }, reading]);
  await run.answer(cohort());
  await run.pass();
  t.deepEqual((await run.answer(cohort({ open: 0 }), [message('3')])).at(-1), reading);
  t.deepEqual((await run.answer(null)).at(-1), { completed: 'finished' });
});

test('a long history goes on in a new run, with the messages that nobody has read', async (t) => {
  const run = await begin();
  await run.answer(cohort());
  await run.pass();
  run.grow();
  await run.answer(cohort({ step: 2 }), [message('2')]);
  const pending = { seen: ['1', '2'], waiting: [message('2')] };
  t.deepEqual(run.asked().at(-1), { continued: 'deliveryCohort', args: [INPUT, pending] });
  const next = await begin([], pending);
  t.deepEqual(next.asked(), [reading]);
  await next.answer(cohort());
  t.deepEqual(await next.signal(message('1')), []);
});
