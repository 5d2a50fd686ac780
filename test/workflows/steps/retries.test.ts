import test from 'ava';
import { message, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const DELIVERY = 'evt_01JABCDEFGHJKMNPQRSTVWXYZ0';
const OTHER = 'evt_01JABCDEFGHJKMNPQRSTVWXYZ1';
const about = { productId: 'product', endpointId: 'endpoint', endpointHost: 'api.example' };
const waiting = { step: 1, dueAt: null, remainingMs: 60_000, isEarly: false, ...about };
const last = { lastStatusCode: 503, lastError: 'http_status' };

const ofPayout = { personId: null, amount: '12.50 EUR', lastError: 'no answer' };

type Kind = {
  input: object;
  read: string;
  attempt: string;
  retryNow: string;
  retrying(step?: number): object;
  over: object;
  /** What it says of itself once it is over. */
  status: string;
  /** What it gives the row to decide by. */
  asked(step: number, deliveryId: string | null): object;
};

const KINDS: Record<string, Kind> = {
  webhookDelivery: {
    input: { deliveryId: DELIVERY },
    read: 'readDelivery',
    attempt: 'attemptDelivery',
    retryNow: 'retryDeliveryNow',
    retrying: (step = 1) => ({ ...waiting, ...last, status: 'retrying', run: 2, step }),
    over: { ...waiting, ...last, status: 'dead', run: 2 },
    status: 'dead',
    asked: (step) => ({ deliveryId: DELIVERY, run: 2, step }),
  },
  deliveryCohort: {
    input: { cohort: 'deliveries:endpoint:1' },
    read: 'readCohort',
    attempt: 'attemptCohort',
    retryNow: 'retryCohortNow',
    retrying: (step = 1) => ({ ...waiting, ...last, open: 2, dead: 0, step }),
    over: { ...waiting, ...last, open: 0, dead: 2, step: null },
    status: 'dead',
    asked: (_, deliveryId) => ({ cohort: 'deliveries:endpoint:1', deliveryId }),
  },
  poolPayout: {
    input: { payoutId: 'pool-2026-11-o-EUR' },
    read: 'readPoolPayout',
    attempt: 'sendPoolPayout',
    retryNow: 'retryPoolPayoutNow',
    retrying: (step = 1) => ({ ...waiting, ...ofPayout, status: 'paying', attempts: step }),
    over: { ...waiting, ...ofPayout, status: 'failed', attempts: 36 },
    status: 'failed',
    asked: () => ({ payoutId: 'pool-2026-11-o-EUR' }),
  },
};

const isOver = (each: object) => 'completed' in each || 'continued' in each;

for (const [type, kind] of Object.entries(KINDS)) {
  const { input, read, attempt, retryNow, retrying, over, status, asked } = kind;
  const reading = { activity: read, input, ...TRIES.records };
  /** Waits for its next retry. */
  const wait = async (step = 1) => {
    const run = await start(type, [input]);
    await run.answer(retrying(step));
    return run;
  };
  const refused = (reason: string) => [{ update: 'rejected', reason }];

  test(`an operator asks a ${type} for the next retry now: its row decides`, async (t) => {
    for (const [given, named] of [
      [[], null],
      [[null], null],
      [[DELIVERY], DELIVERY],
    ] as const) {
      const run = await wait(2);
      t.deepEqual(await run.update('retryNow', 'first', ...given), [
        { update: 'accepted' },
        { activity: retryNow, input: asked(2, named), ...TRIES.records },
      ]);
      t.deepEqual(await run.answer(1), [{ update: 'completed', result: 'queued' }]);
      await run.update('retryNow', 'second', ...given);
      t.deepEqual(await run.answer(0), [{ update: 'completed', result: 'unchanged' }]);
    }
  });

  test(`a ${type} whose row is read, attempted or over has nothing to retry`, async (t) => {
    const run = await start(type, [input]);
    const ask = (id: string) => run.update('retryNow', id);
    t.deepEqual(await ask('1'), refused('there is nothing to retry: reading'));
    await run.answer(retrying());
    await run.pass();
    t.deepEqual(await ask('2'), refused('an attempt is under way'));
    await run.answer(retrying(2));
    t.deepEqual((await ask('3'))[0], { update: 'accepted' });
    await run.answer(0);
    await run.pass();
    await run.answer(over, [message('1')]);
    t.deepEqual(await ask('4'), refused(`there is nothing to retry: ${status}`));
  });

  test(`a ${type} is refused what is no delivery id`, async (t) => {
    const run = await wait();
    for (const id of ['evt_1', `x${DELIVERY}`, `${DELIVERY}0`, DELIVERY.toLowerCase()]) {
      t.deepEqual(await run.update('retryNow', id, id), refused('that is no delivery id'));
    }
  });

  test(`a ${type} that ends answers an open Update first, and hears what comes meanwhile`, async (t) => {
    const run = await wait();
    await run.update('retryNow');
    await run.signal(message('1'));
    t.false((await run.answerOf(read, over)).some(isOver));
    await run.signal(message('2'));
    const after = await run.answerOf(retryNow, 0);
    t.deepEqual(after[0], { update: 'completed', result: 'unchanged' });
    t.deepEqual(after.at(-1), reading);
    t.deepEqual((await run.answer(over)).at(-1), { completed: status });
  });

  test(`a long ${type} answers an open Update before it goes on in a new run`, async (t) => {
    const run = await wait();
    await run.update('retryNow');
    await run.pass();
    run.grow();
    t.false((await run.answerOf(attempt, retrying(2))).some(isOver));
    const after = await run.answerOf(retryNow, 1);
    t.deepEqual(after[0], { update: 'completed', result: 'queued' });
    t.like(after.at(-1), { continued: type });
  });
}

test('a delivery answers for itself alone', async (t) => {
  const { input, retrying } = KINDS['webhookDelivery']!;
  const run = await start('webhookDelivery', [input]);
  await run.answer(retrying());
  t.deepEqual(await run.update('retryNow', 'update-1', OTHER), [
    { update: 'accepted' },
    { update: 'completed', result: 'unchanged' },
  ]);
});

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

test('a cohort reads its rows, shows them and waits for the next retry', async (t) => {
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

test('a cohort waits until the due time by the clock, and says what is ahead', async (t) => {
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

test('a cohort ends as its rows ended, and without any', async (t) => {
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
