import { createHmac } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { pseudonymOf } from '../../../domain/pool/snapshot/pseudonym.ts';
import { createSnapshotWriter } from '../../../domain/pool/snapshot/snapshot-writer.ts';
import type { MemberMonth } from '../../../domain/pool/split/pool-rule.ts';
import { createHmacHex, createSha256, sha256Hex } from '../../../domain/shared/sha256.ts';
import {
  CHANGE,
  HEADER,
  LINES,
  MEMBERS,
  readSnapshot as read,
  SNAPSHOT,
  writeSnapshot,
} from '../../support/pool/snapshots.ts';

const byId = (members: readonly MemberMonth[]) =>
  members
    .map(({ products, ...member }) => ({
      ...member,
      products: products.toSorted((one, other) => (one.product < other.product ? -1 : 1)),
    }))
    .toSorted((one, other) => (one.member < other.member ? -1 : 1));

test('a snapshot reads back what was written, in whatever parts it comes', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(SNAPSHOT.length), { maxLength: 8 }), (cuts) => {
      const edges = [0, ...cuts.toSorted((one, other) => one - other), SNAPSHOT.length];
      const parts = edges.slice(1).map((edge, index) => SNAPSHOT.slice(edges[index], edge));
      const found = read(parts);
      t.deepEqual(found.headers, [HEADER]);
      t.deepEqual(found.members, byId(MEMBERS));
      t.deepEqual(found.corrections, [CHANGE]);
    }),
  );
});

test('between its first and last line a snapshot is in the order of its bytes', (t) => {
  t.deepEqual(LINES.slice(1), LINES.slice(1).toSorted());
  t.is(new Set(LINES).size, LINES.length);
});

test('the last line has the count and the SHA-256 of what stands before', (t) => {
  const before = `${LINES.join('\n')}\n`;
  const last = { lines: String(LINES.length), sha256: sha256Hex(before) };
  t.is(SNAPSHOT, `${before}${JSON.stringify(last)}\n`);
  t.like(read([SNAPSHOT]), { lines: LINES.length, sha256: sha256Hex(before) });
});

test('the writer refuses groups out of order, and a Member twice', (t) => {
  const [one, two] = byId(MEMBERS);
  for (const again of [one!, two!]) {
    const writer = createSnapshotWriter(HEADER, createSha256);
    writer.begin();
    writer.member(two!);
    t.throws(() => writer.member(again), { instanceOf: RangeError });
  }
});

test('a month of 30 days has no 31st', (t) => {
  const header = { ...HEADER, period: '2026-09' };
  t.throws(() => read([writeSnapshot({ header, members: MEMBERS })]), {
    message: /31 days are more than 2026-09 has/,
  });
});

test('property: any changed byte is noticed', (t) => {
  fc.assert(
    fc.property(fc.nat(SNAPSHOT.length - 1), fc.integer({ min: 1, max: 127 }), (at, by) => {
      const byte = (SNAPSHOT.charCodeAt(at) + by) % 256;
      const text = SNAPSHOT.slice(0, at) + String.fromCharCode(byte) + SNAPSHOT.slice(at + 1);
      t.throws(() => read([text]), { name: 'SnapshotError' });
    }),
  );
});

test('a pseudonym is an HMAC under the key of its period, and tells members from products', (t) => {
  const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const id = '0197f1f0-0000-7000-8000-000000000001';
  const expected = createHmac('sha256', one).update(`member|${id}`).digest('hex');
  t.is(pseudonymOf(createHmacHex(one), { kind: 'member', id }), expected);
  t.not(pseudonymOf(createHmacHex(other), { kind: 'member', id }), expected);
  t.not(pseudonymOf(createHmacHex(one), { kind: 'product', id }), expected);
});
