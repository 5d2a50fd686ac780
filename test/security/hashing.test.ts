import test from 'ava';
import { decideTurn } from '../../api/http/caller-address.ts';
import { hashFirstPassword, isPasswordRight } from '../../domain/identity/password.ts';
import { createQueue, QueueFull } from '../../platform/fair-queue.ts';

/** A queue with one place, which is taken until it is released; and the order of what has run. */
function occupiedQueue(waiting: number) {
  const inTurn = createQueue({ atOnce: 1, waiting });
  const order: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = inTurn(() => released);
  const add = (caller: string, name: string, isKnown = false, network = caller) =>
    inTurn(async () => void order.push(name), { caller, network, isKnown });
  return { add, order, finish: () => (release(), first) };
}

test('many jobs of one caller do not hold up those of another', async (t) => {
  const { add, order, finish } = occupiedQueue(10);
  const jobs = [
    ...['f1', 'f2', 'f3', 'f4'].map((name) => add('flood', name)),
    add('one', 'o1'),
    add('two', 't1'),
    add('one', 'o2'),
  ];
  await finish();
  await Promise.all(jobs);
  t.deepEqual(order, ['f1', 'o1', 't1', 'f2', 'o2', 'f3', 'f4']);
});

test('a queue that one caller has filled refuses the latest of that caller, not another', async (t) => {
  const { add, order, finish } = occupiedQueue(3);
  const flood = ['f1', 'f2', 'f3'].map((name) => add('flood', name));
  await t.throwsAsync(add('flood', 'f4'), { instanceOf: QueueFull });
  const other = add('one', 'o1');
  await t.throwsAsync(flood[2]!, { instanceOf: QueueFull });
  const third = add('two', 't1');
  await t.throwsAsync(flood[1]!, { instanceOf: QueueFull });
  await t.throwsAsync(add('three', 'x1'), { instanceOf: QueueFull }, 'everybody has one now');
  await finish();
  await Promise.all([flood[0], other, third]);
  t.deepEqual(order, ['f1', 'o1', 't1']);
});

test('callers who are known go first, and leave the others every fourth turn', async (t) => {
  const { add, order, finish } = occupiedQueue(20);
  const jobs = [
    ...['x1', 'x2', 'x3'].map((name) => add(`flood ${name}`, name)),
    ...['k1', 'k2', 'k3', 'k4', 'k5'].map((name) => add('known', name, true)),
    add('also known', 'a1', true),
  ];
  await finish();
  await Promise.all(jobs);
  t.deepEqual(order, ['k1', 'a1', 'k2', 'x1', 'k3', 'k4', 'k5', 'x2', 'x3']);
});

test('many known accounts at one address take no place of another address', async (t) => {
  const { add, order, finish } = occupiedQueue(4);
  const addAt = (ip: string, account: string) => {
    const { caller, network } = decideTurn({ ip, knownAs: account });
    return add(caller!, account, true, network);
  };
  const flood = ['f1', 'f2', 'f3', 'f4'].map((account) => addAt('192.0.2.1', account));
  const honest = addAt('192.0.2.2', 'h1');
  const ended = Promise.allSettled(flood);
  await finish();
  await honest;
  t.is((await ended).filter(({ status }) => status === 'rejected').length, 1);
  t.deepEqual(order.toSorted(), ['f1', 'f2', 'f3', 'h1']);
});

test('a known account takes one turn in turn with another, from however many addresses', async (t) => {
  const { add, order, finish } = occupiedQueue(100);
  const addAt = (ip: string, name: string, knownAs: string | null = null) => {
    const { caller, isKnown } = decideTurn({ ip, knownAs });
    return add(caller!, name, isKnown);
  };
  const busy = Array.from({ length: 80 }, (_, n) => addAt(`198.51.100.${n}`, 'busy', 'busy'));
  const quiet = Array.from({ length: 3 }, () => addAt('203.0.113.1', 'quiet', 'quiet'));
  await finish();
  await Promise.all([...busy, ...quiet]);
  t.deepEqual(order.slice(0, 6), ['busy', 'quiet', 'busy', 'quiet', 'busy', 'quiet']);
});

test('callers who are not known take turns by their networks', (t) => {
  const turnAt = (ip: string) => decideTurn({ ip, knownAs: null });
  t.notDeepEqual(turnAt('198.51.100.1'), turnAt('198.51.100.2'));
  t.deepEqual(turnAt('2001:db8:1:2::1'), turnAt('2001:db8:1:3::1'));
  t.false(turnAt('198.51.100.1').isKnown);
});

test('a queue that many strangers have filled has room for a caller who is known', async (t) => {
  const { add, order, finish } = occupiedQueue(2);
  const flood = ['x1', 'x2'].map((name) => add(`flood ${name}`, name));
  const first = add('known', 'k1', true);
  await t.throwsAsync(flood[0]!, { instanceOf: QueueFull });
  const second = add('also known', 'k2', true);
  await t.throwsAsync(flood[1]!, { instanceOf: QueueFull });
  await t.throwsAsync(add('flood', 'x3'), { instanceOf: QueueFull });
  await t.throwsAsync(add('third', 'k3', true), { instanceOf: QueueFull });
  await finish();
  await Promise.all([first, second]);
  t.deepEqual(order, ['k1', 'k2']);
});

test('callers who are known leave the others a fourth of the places', async (t) => {
  const { add, finish } = occupiedQueue(8);
  const strangers = Array.from({ length: 8 }, (_, n) => add(`stranger ${n}`, `s${n}`));
  const known = Array.from({ length: 6 }, (_, n) => add(`known ${n}`, `k${n}`, true));
  await t.throwsAsync(add('one more', 'k6', true), { instanceOf: QueueFull });
  await finish();
  await Promise.all(known);
  const ended = await Promise.allSettled(strangers);
  t.is(ended.filter(({ status }) => status === 'fulfilled').length, 2);
});

test('a flood of sign-ups takes no place of a sign-in', async (t) => {
  let made = 0;
  const signUps = Array.from({ length: 12 }, async (_, caller) => {
    await hashFirstPassword('a quiet lamp in the hall', `caller ${caller}`);
    made += 1;
  });
  t.false(await isPasswordRight(null, 'a quiet lamp in the hall', { caller: 'somebody' }));
  t.true(made < 12, 'the sign-in did not wait for them');
  await Promise.all(signUps);
});
