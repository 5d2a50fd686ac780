import test from 'ava';
import { instantAfter, message, TRIES, useSandbox } from '../../support/workflows/moments.ts';

const start = useSandbox();
const DAY_MS = 86_400_000;
const INPUT = { productId: 'product', personId: 'person' };
const settling = { activity: 'settleEntitlement', input: INPUT, ...TRIES.records };
const begin = (first: object[] = [], ...pending: object[]) =>
  start('entitlementLifecycle', [INPUT, ...pending], first);
const shown = { Product: 'product', Person: 'person' };

test('it waits exactly until the next start or end of access', async (t) => {
  const run = await begin([message('1')]);
  t.is(await run.query('status'), 'reading');
  t.deepEqual(run.asked(), [settling]);
  await run.answer({ isActive: true, remainingMs: DAY_MS });
  const until = instantAfter(run, DAY_MS);
  t.deepEqual(run.asked(), [
    { attributes: { Status: 'active', ...shown, DueAt: until } },
    { timerMs: DAY_MS, summary: `active until ${until}` },
  ]);
  t.is(await run.details(), `active until ${until}`);
  t.deepEqual(await run.signal(message('1')), [], 'seen already');
  t.deepEqual(await run.pass(), [settling]);
  await run.answer({ isActive: false, remainingMs: 2 * DAY_MS });
  t.is(await run.query('status'), 'inactive');
  t.deepEqual(await run.signal(message('2')), [{ cancelled: 'timer' }, settling]);
});

test('a wait of years is cut into parts that Temporal takes', async (t) => {
  const run = await begin();
  await run.answer({ isActive: true, remainingMs: 1_000 * DAY_MS });
  t.like(run.asked().at(-1), { timerMs: 365 * DAY_MS });
});

test('nothing ahead ends it, unless a message came meanwhile', async (t) => {
  const run = await begin();
  const over = { isActive: false, remainingMs: null };
  await run.answer(over, [message('1')]);
  t.deepEqual(run.asked(), [
    { attributes: { Status: 'inactive', ...shown, DueAt: null } },
    settling,
  ]);
  t.is(await run.details(), 'inactive');
  t.deepEqual((await run.answer(over)).at(-1), { completed: 'inactive' });
  const forGood = await begin();
  await forGood.answer({ isActive: true, remainingMs: null });
  t.deepEqual(forGood.asked().at(-1), { completed: 'active' });
});

test('a message that came meanwhile leads to a reading without a wait', async (t) => {
  const run = await begin();
  await run.answer({ isActive: true, remainingMs: DAY_MS }, [message('1')]);
  t.deepEqual(run.only('timerMs'), []);
  t.deepEqual(run.asked().at(-1), settling);
});

test('an end that is a moment ahead is waited for', async (t) => {
  const run = await begin();
  await run.answer({ isActive: true, remainingMs: 1 });
  t.like(run.asked().at(-1), { timerMs: 1 });
});

test('an end that has come already is read again at once', async (t) => {
  const run = await begin();
  t.deepEqual((await run.answer({ isActive: true, remainingMs: 0 })).at(-1), settling);
});

test('a long history goes on in a new run, with the messages that nobody has read', async (t) => {
  const run = await begin([message('1')]);
  run.grow();
  await run.answer({ isActive: true, remainingMs: DAY_MS }, [message('2')]);
  const pending = { seen: ['1', '2'], waiting: [message('2')] };
  t.deepEqual(run.asked().at(-1), { continued: 'entitlementLifecycle', args: [INPUT, pending] });
  const next = await begin([], pending);
  await next.answer({ isActive: true, remainingMs: DAY_MS });
  t.like(next.asked().at(-1), { timerMs: DAY_MS }, 'it has read what waited');
  t.deepEqual(await next.signal(message('1')), []);
  const over = await begin();
  over.grow();
  t.deepEqual((await over.answer({ isActive: false, remainingMs: null })).at(-1), {
    completed: 'inactive',
  });
});

test('of the messages it remembers the last 200, also across runs', async (t) => {
  const ids = Array.from({ length: 200 }, (_, index) => `m${index}`);
  const run = await begin(ids.map((id) => message(id)));
  await run.answer({ isActive: true, remainingMs: DAY_MS });
  t.deepEqual(await run.signal(message('m0')), []);
  t.deepEqual(await run.signal(message('m199')), []);
  await run.signal(message('one more'));
  run.grow();
  await run.answer({ isActive: true, remainingMs: DAY_MS });
  const [, { seen }] = run.asked().at(-1)!['args'] as [unknown, { seen: string[] }];
  t.deepEqual(seen, [...ids.slice(1), 'one more']);
});
