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

test('a purchase is read at the processor first, for the reasons that came with it', async (t) => {
  const run = await begin();
  t.is(await run.query('status'), 'opening');
  t.deepEqual(run.asked(), [settle('asking again')]);
  const told = await begin([message('1', 'paid'), message('2', 'returned')]);
  t.deepEqual(told.asked(), [settle('received: paid, returned')]);
});

test('an open purchase shows how it stands and waits, then asks again', async (t) => {
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

test('a purchase that has ended returns its status, unless a message came meanwhile', async (t) => {
  const run = await begin();
  t.deepEqual((await run.answer(cleared)).at(-1), { completed: 'cleared' });
  t.is(await run.details(), 'cleared');
  const late = await begin();
  t.deepEqual((await late.answer(cleared, [message('1', 'late')])).slice(1), [
    settle('received: late'),
  ]);
  t.deepEqual((await late.answer(cleared)).at(-1), { completed: 'cleared' });
});

test('refunds are read with a purchase, and keep it open for as long as they are', async (t) => {
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

test('refunds that this version does not understand are named as well', async (t) => {
  const run = await begin();
  await run.answer({ ...cleared, hasRefunds: true });
  await run.answer({ status: null, isOpen: true });
  t.is(await run.query('status'), 'dead_lettered');
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

const DAY_MS = 86_400_000;

const KINDS = {
  subscriptionLifecycle: {
    input: { subscriptionId: 'sub_1' },
    settle: 'settleSubscription',
    request: 'requestSubscriptionChange',
  },
  membershipLifecycle: {
    input: { membershipId: 'mem_1' },
    settle: 'settleMembership',
    request: 'requestMembershipChange',
  },
};
type Kind = keyof typeof KINDS;

const found = (changes: object = {}) => ({
  status: 'active',
  isOpen: true,
  waitMs: DAY_MS,
  waitsFor: 'renewal',
  personId: 'person',
  ...changes,
});
const ended = found({ status: 'ended', isOpen: false });

for (const type of Object.keys(KINDS) as Kind[]) {
  const { input, settle, request } = KINDS[type];
  const begin = (first: object[] = [], pending?: object) =>
    start(type, pending ? [input, pending] : [input], first);
  type Begun = Awaited<ReturnType<typeof begin>>;
  const settling = (summary: string) => ({ activity: settle, input, summary, ...TRIES.processor });
  /** Its reading, and for a membership the notifications that follow it. */
  const read = async (run: Begun, answer: object, meanwhile: object[] = []) => {
    if (type === 'subscriptionLifecycle') return run.answer(answer, meanwhile);
    await run.answer(answer);
    return run.answer(false, meanwhile);
  };

  test(`a ${type} reads, shows how it stands and waits for the next payment`, async (t) => {
    const run = await begin();
    t.is(await run.query('status'), 'reading');
    t.deepEqual(run.asked(), [settling('asking again')]);
    await read(run, found());
    const until = instantAfter(run, DAY_MS);
    const details = `active: renewal at ${until}`;
    t.deepEqual(run.asked(), [
      { attributes: { Status: 'active', Person: 'person', DueAt: until } },
      { timerMs: DAY_MS, summary: details },
    ]);
    t.is(await run.details(), details);
    t.is(await run.query('status'), 'active');
    await run.pass();
    t.deepEqual(run.asked(), [settling('asking again')]);
    await read(run, found({ productId: 'product' }));
    t.like(run.only('attributes')[0], { attributes: { Product: 'product', Person: 'person' } });
    t.deepEqual(await run.signal(message('1', 'paid')), [
      { cancelled: 'timer' },
      settling('received: paid'),
    ]);
  });

  test(`an ended ${type} is due no more; a message during its last step is received`, async (t) => {
    const run = await begin();
    await read(run, ended, [message('1', 'late')]);
    t.deepEqual(run.asked(), [
      { attributes: { Status: 'ended', Person: 'person', DueAt: null } },
      settling('received: late'),
    ]);
    t.is(await run.details(), 'ended');
    t.deepEqual((await read(run, ended)).at(-1), { completed: 'ended' });
  });

  test(`the Update cancel of a ${type} is answered by its row, by the Update's id`, async (t) => {
    const run = await begin();
    await read(run, found());
    t.deepEqual(await run.update('cancel', 'the-id'), [
      { update: 'accepted' },
      {
        activity: request,
        input: { ...input, change: 'cancel', updateId: 'the-id' },
        ...TRIES.records,
      },
    ]);
    t.deepEqual(await run.answer('requested'), [{ update: 'completed', result: 'requested' }]);
  });

  test(`the Update cancel of an ended ${type} is refused`, async (t) => {
    const run = await begin();
    await read(run, ended, [message('1')]);
    t.deepEqual(await run.update('cancel'), [{ update: 'rejected', reason: 'it has ended' }]);
  });

  test(`no Update resumes a ${type}: only its person has a card charged again`, async (t) => {
    const run = await begin();
    await read(run, found());
    const [answer, ...others] = await run.update('resume');
    t.like(answer, { update: 'rejected' });
    t.deepEqual(others, []);
  });

  test(`a ${type} that ends or grows long answers an open Update first`, async (t) => {
    for (const isLong of [false, true]) {
      const run = await begin();
      await run.update('cancel');
      if (isLong) run.grow();
      const answer = isLong ? found() : ended;
      await run.answerOf(settle, answer);
      if (type === 'membershipLifecycle') await run.answerOf('notifyActivatedProducts', false);
      const isOver = (each: object) => 'completed' in each || 'continued' in each;
      t.false(run.asked().some(isOver));
      await run.answerOf(request, 'unchanged');
      t.deepEqual(run.asked()[0], { update: 'completed', result: 'unchanged' });
      t.true(isOver(run.asked().at(-1)!));
    }
  });

  test(`a long ${type} goes on in a new run, with the messages that nobody has read`, async (t) => {
    const run = await begin([message('1')]);
    run.grow();
    await read(run, found(), [message('2', 'late')]);
    const pending = { seen: ['1', '2'], waiting: [message('2', 'late')] };
    t.deepEqual(run.asked().at(-1), { continued: type, args: [input, pending] });
    const next = await begin([], pending);
    t.deepEqual(next.asked(), [settling('received: late')]);
    await read(next, found());
    t.deepEqual(await next.signal(message('1')), []);
    const over = await begin();
    over.grow();
    t.deepEqual((await read(over, ended)).at(-1), { completed: 'ended' });
  });
}

test('a membership notifies its products until none is left, before it reads again', async (t) => {
  const { input } = KINDS.membershipLifecycle;
  const run = await start('membershipLifecycle', [input]);
  const notify = { activity: 'notifyActivatedProducts', input, ...TRIES.records };
  t.deepEqual(await run.answer(found()), [notify]);
  t.deepEqual(await run.answer(true), [notify]);
  t.deepEqual(await run.answer(true), [notify]);
  t.like((await run.answer(false)).at(-1), { timerMs: DAY_MS });
});
