import test from 'ava';
import { message, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const MINUTE_MS = 60_000;
const INPUT = { deliveryId: 'evt_1' };

const delivery = (changes: object = {}) => ({
  status: 'retrying',
  run: 1,
  step: 1,
  dueAt: null,
  remainingMs: MINUTE_MS,
  isEarly: false,
  lastStatusCode: 503,
  lastError: 'http_status',
  productId: 'product',
  endpointId: 'endpoint',
  eventName: 'purchase.completed',
  endpointHost: 'api.example',
  ...changes,
});
const succeeded = delivery({ status: 'succeeded' });
const failed = { ...message('1', 'first_attempt_failed'), delivery: delivery() };
const reading = { activity: 'readDelivery', input: INPUT, ...TRIES.records };
const begin = (first: object[] = [failed], ...pending: object[]) =>
  start('webhookDelivery', [INPUT, ...pending], first);
const attempting = (step: number, run = 1) => ({
  activity: 'attemptDelivery',
  input: { ...INPUT, run, step },
  ...TRIES.deliveries,
});

test('its first message tells how the row stands: it waits without a reading', async (t) => {
  const run = await begin();
  t.like(run.asked()[0], {
    attributes: {
      Status: 'retrying',
      Product: 'product',
      Endpoint: 'endpoint',
      Event: 'purchase.completed',
      Attempt: 1,
      DueAt: null,
    },
  });
  t.like(run.asked()[1], { timerMs: MINUTE_MS });
  t.regex(String(run.asked()[1]!['summary']), /^retry 1 of 5 in 1 min.*503/);
  t.is(run.asked().length, 2);
  t.is(await run.query('status'), 'retrying');
  t.regex(await run.details(), /retrying.*503/);
});

test('without that, with two messages, or after another run, it reads its row first', async (t) => {
  t.deepEqual((await begin([])).asked(), [reading]);
  t.deepEqual((await begin([failed, message('2', 'retry')])).asked(), [reading]);
  t.deepEqual((await begin([message('2', 'retry')])).asked(), [reading]);
  const pending = { seen: ['1'], waiting: [failed] };
  t.deepEqual((await begin([], pending)).asked(), [reading]);
  t.is(await (await begin([])).query('status'), 'reading');
});

test('it waits until the due time by the clock, never longer than the row says', async (t) => {
  const waitOf = async (changes: object) => {
    const told = { ...message('1'), delivery: delivery(changes) };
    return (await begin([told])).only('timerMs')[0]?.['timerMs'];
  };
  const dueAt = '2026-01-01T00:00:40.000Z';
  t.is(await waitOf({ dueAt }), 40_000);
  t.is(await waitOf({ dueAt, remainingMs: 30_000 }), 30_000);
  t.is(await waitOf({ dueAt, isEarly: true }), MINUTE_MS);
});

test('it says what it is about, what is ahead and what was answered', async (t) => {
  const dueAt = '2026-01-01T00:00:40.000Z';
  const toldOf = (changes: object) =>
    begin([{ ...message('1'), delivery: delivery({ dueAt, ...changes }) }]);
  const run = await toldOf({});
  const about = 'retrying: purchase.completed to api.example';
  t.is(await run.details(), `${about}; retry 1 of 5 due ${dueAt}; last answer 503`);
  t.is(run.only('timerMs')[0]!['summary'], 'retry 1 of 5 in 40 s: last answer 503');
  await run.pass();
  t.is(run.asked().at(-1)!['summary'], 'retry 1 of 5: last answer 503');
  const first = await toldOf({ run: 2, step: 0, lastStatusCode: null, lastError: null });
  const next = `first attempt of run 2 due ${dueAt}`;
  t.is(await first.details(), `${about}; ${next}; last answer none yet`);
});

test('when its time has come it attempts, with what the last answer was', async (t) => {
  const run = await begin();
  await run.pass();
  t.like(run.asked().at(-1), attempting(1));
  t.regex(String(run.asked().at(-1)!['summary']), /^retry 1 of 5: .*503/);
  await run.answer(delivery({ step: 2, lastStatusCode: null, lastError: 'timeout' }));
  t.regex(String(run.only('timerMs')[0]!['summary']), /^retry 2 of 5 .*timeout/);
  await run.pass();
  t.like(run.asked().at(-1), attempting(2));
  t.deepEqual((await run.answer(succeeded)).at(-1), { completed: 'succeeded' });
});

test('what is due already is attempted without a wait', async (t) => {
  const run = await begin([
    {
      ...message('1'),
      delivery: delivery({
        remainingMs: 0,
        run: 2,
        step: 0,
        lastStatusCode: null,
        lastError: null,
      }),
    },
  ]);
  t.like(run.asked().at(-1), attempting(0, 2));
  t.regex(String(run.asked().at(-1)!['summary']), /^first attempt of run 2.*none yet/);
});

test('a message ends the wait and leads to a reading', async (t) => {
  const run = await begin();
  t.deepEqual(await run.signal(failed), [], 'seen already');
  t.deepEqual(await run.signal(message('2', 'closed')), [{ cancelled: 'timer' }, reading]);
  t.deepEqual((await run.answer(delivery({ status: 'held' }))).at(-1), { completed: 'held' });
});

test('a message during the last step is received', async (t) => {
  const run = await begin();
  await run.pass();
  t.deepEqual((await run.answer(succeeded, [message('2', 'retry')])).at(-1), reading);
  t.deepEqual((await run.answer(succeeded)).at(-1), { completed: 'succeeded' });
});

test('a message during an attempt does not shorten the wait that follows', async (t) => {
  const run = await begin();
  await run.pass();
  t.deepEqual((await run.answer(delivery({ step: 2 }), [message('2')])).at(-1), reading);
  await run.answer(delivery({ step: 2, remainingMs: 5 * MINUTE_MS }));
  t.like(run.asked().at(-1), { timerMs: 5 * MINUTE_MS });
});

test('a long history goes on in a new run, with the messages that nobody has read', async (t) => {
  const run = await begin();
  await run.pass();
  run.grow();
  await run.answer(delivery({ step: 2 }), [message('2')]);
  const pending = { seen: ['1', '2'], waiting: [message('2')] };
  t.deepEqual(run.asked().at(-1), { continued: 'webhookDelivery', args: [INPUT, pending] });
  const next = await begin([], pending);
  await next.answer(delivery({ step: 2 }));
  t.like(next.asked().at(-1), { timerMs: MINUTE_MS }, 'it has read what waited');
  t.deepEqual(await next.signal(message('1')), [], 'seen by the run before');
});
