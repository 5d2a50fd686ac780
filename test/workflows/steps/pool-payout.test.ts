import test from 'ava';
import { message, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const MINUTE_MS = 60_000;
const INPUT = { payoutId: 'pool-2026-11-o-EUR' };

const payout = (changes: object = {}) => ({
  status: 'paying',
  personId: 'person',
  amount: '12.50 EUR',
  attempts: 1,
  dueAt: null,
  remainingMs: MINUTE_MS,
  isEarly: false,
  lastError: 'no answer',
  ...changes,
});
const fresh = payout({ attempts: 0, remainingMs: 0, lastError: null });
const paid = payout({ status: 'paid', remainingMs: 0, lastError: null });
const reading = { activity: 'readPoolPayout', input: INPUT, ...TRIES.records };
const attempting = { activity: 'sendPoolPayout', input: INPUT, ...TRIES.processor };
const begin = (...pending: object[]) =>
  start('poolPayout', [INPUT, ...pending], [message('1', 'started')]);

async function wait(changes: object = {}) {
  const run = await begin();
  await run.answer(payout(changes));
  return run;
}

test('it reads its row first, and attempts at once what was never attempted', async (t) => {
  const run = await begin();
  t.deepEqual(run.asked(), [reading]);
  t.is(await run.query('status'), 'reading');
  await run.answer(fresh);
  t.like(run.asked().at(-1), attempting);
  t.is(run.asked().at(-1)!['summary'], 'attempt 1 of 36: no problem so far');
  t.is(await run.query('status'), 'paying');
  t.deepEqual((await run.answer(paid)).at(-1), { completed: 'paid' });
});

test('it says what it is about, what is ahead and what was answered', async (t) => {
  const dueAt = '2026-01-01T00:00:40.000Z';
  const run = await wait({ dueAt });
  t.like(run.asked()[0], {
    attributes: { Status: 'retrying', Person: 'person', Attempt: 1, DueAt: dueAt },
  });
  const about = 'retrying: payout of 12.50 EUR';
  t.is(await run.details(), `${about}; attempt 2 of 36 due ${dueAt}; no answer`);
  t.is(run.only('timerMs')[0]!['summary'], 'attempt 2 of 36 in 39 s: no answer');
  t.is(await run.query('status'), 'retrying');
  await run.pass();
  t.is(run.asked().at(-1)!['summary'], 'attempt 2 of 36: no answer');
  const last = await wait({ attempts: 36 });
  t.regex(String(last.only('timerMs')[0]!['summary']), /^attempt 36 of 36/);
  const ofTeam = await wait({ personId: null });
  t.false('Person' in (ofTeam.asked()[0]!['attributes'] as object));
});

test('it waits until the due time by the clock, never longer than the row says', async (t) => {
  const waitOf = async (changes: object) => (await wait(changes)).only('timerMs')[0]?.['timerMs'];
  const dueAt = '2026-01-01T00:00:41.000Z';
  t.is(await waitOf({ dueAt }), 40_000);
  t.is(await waitOf({ dueAt, remainingMs: 30_000 }), 30_000);
  t.is(await waitOf({ dueAt, isEarly: true }), MINUTE_MS);
});

test('it attempts until the payout is over', async (t) => {
  const run = await wait();
  await run.pass();
  t.like(run.asked().at(-1), attempting);
  await run.answer(payout({ attempts: 2, remainingMs: 5 * MINUTE_MS }));
  t.like(run.asked().at(-1), { timerMs: 5 * MINUTE_MS });
  await run.pass();
  t.deepEqual((await run.answer(payout({ status: 'failed' }))).at(-1), { completed: 'failed' });
});

test('a message ends the wait and leads to a reading', async (t) => {
  const run = await wait();
  t.deepEqual(await run.signal(message('1', 'started')), [], 'seen already');
  t.deepEqual(await run.signal(message('2', 'overdue')), [{ cancelled: 'timer' }, reading]);
  t.deepEqual((await run.answer(paid)).at(-1), { completed: 'paid' });
});

test('a message during the last step is received', async (t) => {
  const run = await wait();
  await run.pass();
  t.deepEqual((await run.answer(paid, [message('2', 'overdue')])).at(-1), reading);
  t.deepEqual((await run.answer(paid)).at(-1), { completed: 'paid' });
});

test('a long history goes on in a new run, with the messages that nobody has read', async (t) => {
  const run = await wait();
  await run.pass();
  run.grow();
  await run.answer(payout({ attempts: 2 }), [message('2')]);
  const pending = { seen: ['1', '2'], waiting: [message('2')] };
  t.deepEqual(run.asked().at(-1), { continued: 'poolPayout', args: [INPUT, pending] });
  const next = await start('poolPayout', [INPUT, pending], []);
  t.deepEqual(next.asked(), [reading]);
  await next.answer(payout({ attempts: 2 }));
  t.like(next.asked().at(-1), { timerMs: MINUTE_MS }, 'it has read what waited');
  t.deepEqual(await next.signal(message('1', 'started')), [], 'the run before has seen it');
});
