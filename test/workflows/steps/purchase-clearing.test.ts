import test from 'ava';
import { instantAfter, message, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const HOUR_MS = 3_600_000;
const INPUT = { purchaseId: 'pay_1' };

const purchase = (changes: object = {}) => ({
  status: 'pending',
  isOpen: true,
  isDeadLettered: false,
  hasRefunds: false,
  remainingMs: HOUR_MS,
  productId: 'product',
  personId: 'person',
  ...changes,
});
const cleared = purchase({ status: 'cleared', isOpen: false });
const settle = (summary: string) => ({
  activity: 'settlePurchase',
  input: INPUT,
  summary,
  ...TRIES.processor,
});
const begin = (first: object[] = []) => start('purchaseClearing', [INPUT], first);

test('it reads at the processor first, for the reasons that came with it', async (t) => {
  const run = await begin();
  t.is(await run.query('status'), 'opening');
  t.deepEqual(run.asked(), [settle('asking again')]);
  const told = await begin([message('1', 'paid'), message('2', 'returned')]);
  t.deepEqual(told.asked(), [settle('received: paid, returned')]);
});

test('an open one shows how it stands and waits, then asks again', async (t) => {
  const run = await begin();
  await run.answer(purchase());
  const waitMs = HOUR_MS + 60_000;
  const until = instantAfter(run, waitMs);
  t.deepEqual(run.asked(), [
    { attributes: { Status: 'pending', Product: 'product', Person: 'person' } },
    { timerMs: waitMs, summary: `pending: asking again at ${until}` },
  ]);
  t.is(await run.details(), `pending: waiting for the processor until ${until}`);
  t.is(await run.query('status'), 'pending');
  await run.pass();
  t.deepEqual(run.asked(), [settle('asking again')]);
});

test('a message ends the wait; one that was seen already does not', async (t) => {
  const run = await begin([message('1')]);
  await run.answer(purchase());
  t.deepEqual(await run.signal(message('1')), []);
  t.deepEqual(await run.signal(message('2', 'paid')), [
    { cancelled: 'timer' },
    settle('received: paid'),
  ]);
});

test('one that has ended returns its status, unless a message came meanwhile', async (t) => {
  const run = await begin();
  t.deepEqual((await run.answer(cleared)).at(-1), { completed: 'cleared' });
  t.is(await run.details(), 'cleared');
  const late = await begin();
  t.deepEqual((await late.answer(cleared, [message('1', 'late')])).slice(1), [
    settle('received: late'),
  ]);
  t.deepEqual((await late.answer(cleared)).at(-1), { completed: 'cleared' });
});

test('refunds are read with it, and keep it open for as long as they are', async (t) => {
  const run = await begin([message('1', 'refund')]);
  await run.answer({ ...cleared, hasRefunds: true });
  t.deepEqual(run.asked(), [
    {
      activity: 'settleRefunds',
      input: INPUT,
      summary: 'refunds, received: refund',
      ...TRIES.processor,
    },
  ]);
  await run.answer({ status: 'refunding', isOpen: true });
  const until = instantAfter(run, 6 * HOUR_MS);
  t.deepEqual(run.only('timerMs'), [
    { timerMs: 6 * HOUR_MS, summary: `refunding: asking again at ${until}` },
  ]);
  await run.pass();
  await run.answer({ ...cleared, hasRefunds: true });
  t.deepEqual((await run.answer({ status: 'refunded', isOpen: false })).at(-1), {
    completed: 'refunded',
  });
  const open = await begin();
  await open.answer(purchase({ status: 'clearing', hasRefunds: true }));
  await open.answer({ status: 'clearing', isOpen: false });
  t.deepEqual(open.only('timerMs').length, 1, 'the purchase itself is open');
});

test('what this version does not understand is named, whatever its status', async (t) => {
  const run = await begin();
  await run.answer(purchase({ isDeadLettered: true, hasRefunds: true }));
  await run.answer({ status: 'pending', isOpen: false });
  t.is(await run.query('status'), 'dead_lettered');
  t.deepEqual(run.only('attributes'), [
    { attributes: { Status: 'dead_lettered', Product: 'product', Person: 'person' } },
  ]);
});

test('a long history goes on in a new run, with the messages that nobody has read', async (t) => {
  const run = await begin([message('1')]);
  run.grow();
  await run.answer(purchase(), [message('2', 'late')]);
  t.deepEqual(run.asked().at(-1), {
    continued: 'purchaseClearing',
    args: [INPUT, { seen: ['1', '2'], waiting: [message('2', 'late')] }],
  });
  const next = await start('purchaseClearing', [
    INPUT,
    { seen: ['1', '2'], waiting: [message('2', 'late')] },
  ]);
  t.deepEqual(next.asked(), [settle('received: late')]);
  await next.answer(purchase());
  t.deepEqual(await next.signal(message('1')), [], 'seen by the run before');
  const ended = await begin();
  ended.grow();
  t.deepEqual((await ended.answer(cleared)).at(-1), { completed: 'cleared' });
});
