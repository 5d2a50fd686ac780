import test from 'ava';
import pg from 'pg';
import { createWriteBuffer } from '../../../platform/database/write-buffer.ts';
import { eventually } from '../../support/eventually.ts';

type Item = { key: string; n: number };

function createCounter({ largest = 100, fails = () => false as boolean } = {}) {
  const written: Item[] = [];
  const losses: number[] = [];
  const tries: number[] = [];
  const buffer = createWriteBuffer<Item>({
    keyOf: ({ key }) => key,
    merge: (earlier, later) => ({ ...earlier, n: earlier.n + later.n }),
    async write(items) {
      tries.push(items.length);
      if (fails()) throw new Error('no database');
      if (items.some(({ key }) => key === 'bad')) throw badValue();
      written.push(...items);
    },
    onLoss: (lost) => losses.push(lost),
    largest,
  });
  return { buffer, written, losses, tries };
}

const badValue = () => Object.assign(new pg.DatabaseError('bad', 3, 'error'), { code: '22003' });

test('what has the same key becomes one, and is written by itself after a moment', async (t) => {
  const { buffer, written } = createCounter();
  for (const key of ['a', 'b', 'a']) buffer.add({ key, n: 1 });
  t.deepEqual(written, [], 'nobody waits for it');
  await eventually(
    () => written.length,
    (count) => count === 2,
  );
  t.deepEqual(written, [
    { key: 'a', n: 2 },
    { key: 'b', n: 1 },
  ]);
  buffer.add({ key: 'a', n: 1 });
  await eventually(
    () => written.length,
    (count) => count === 3,
  );
});

test('closing writes what is left', async (t) => {
  const { buffer, written } = createCounter();
  buffer.add({ key: 'a', n: 1 });
  await buffer.close();
  t.deepEqual(written, [{ key: 'a', n: 1 }]);
});

test('it is bounded: what finds no place is lost, and told; those inside still add up', async (t) => {
  const { buffer, written, losses } = createCounter({ largest: 1 });
  for (const key of ['a', 'b', 'a']) buffer.add({ key, n: 1 });
  await buffer.close();
  t.deepEqual(written, [{ key: 'a', n: 2 }]);
  t.deepEqual(losses, [1]);
});

test('one that cannot be written harms no other', async (t) => {
  const { buffer, written, losses } = createCounter();
  for (const key of ['a', 'bad', 'b']) buffer.add({ key, n: 1 });
  await buffer.close();
  t.deepEqual(
    written.map(({ key }) => key),
    ['a', 'b'],
  );
  t.deepEqual(losses, [1]);
});

test('without a database all is lost at one try, and fails nobody', async (t) => {
  const { buffer, losses, tries } = createCounter({ fails: () => true });
  for (const key of ['a', 'b', 'c']) buffer.add({ key, n: 1 });
  await t.notThrowsAsync(buffer.close());
  t.deepEqual([losses, tries], [[3], [3]]);
});
