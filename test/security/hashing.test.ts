import test from 'ava';
import { hashFirstPassword, isPasswordRight } from '../../domain/identity/password.ts';
import { createQueue, QueueFull } from '../../platform/queue.ts';

/** A queue with one place, which is taken until it is released; and the order of what has run. */
function occupiedQueue(waiting: number) {
  const inTurn = createQueue({ atOnce: 1, waiting });
  const order: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = inTurn(() => released);
  const add = (caller: string, name: string) => inTurn(async () => void order.push(name), caller);
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

test('a flood of sign-ups takes no place of a sign-in', async (t) => {
  let made = 0;
  const signUps = Array.from({ length: 12 }, async (_, caller) => {
    await hashFirstPassword('a quiet lamp in the hall', `caller ${caller}`);
    made += 1;
  });
  t.false(await isPasswordRight(null, 'a quiet lamp in the hall', 'somebody'));
  t.true(made < 12, 'the sign-in did not wait for them');
  await Promise.all(signUps);
});
