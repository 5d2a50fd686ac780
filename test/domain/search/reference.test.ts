import test from 'ava';
import { readReference } from '../../../domain/search/reference.ts';

const UUID = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
const OTHER = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f82';
const ULID = '01M864KCQW0000000000000000';

test('a public id is known by its prefix, alone or as the id of a workflow', (t) => {
  for (const prefix of ['evt', 'pay', 'ch', 're', 'dp', 'sub'] as const) {
    const id = `${prefix}_${ULID}`;
    t.deepEqual(readReference(id), { is: 'public_id', prefix, id });
  }
  for (const [kind, prefix] of [
    ['delivery', 'evt'],
    ['purchase', 'pay'],
    ['subscription', 'sub'],
  ] as const) {
    const id = `${prefix}_${ULID}`;
    t.deepEqual(readReference(`${kind}:${id}`), { is: 'public_id', prefix, id });
  }
});

test('a UUID is known in either case, alone or as the id of a workflow', (t) => {
  t.deepEqual(readReference(UUID.toUpperCase()), { is: 'uuid', id: UUID });
  for (const kind of ['membership', 'mail', 'recovery']) {
    t.deepEqual(readReference(`${kind}:${UUID}`), { is: 'uuid', id: UUID });
  }
});

test('access and a cohort are known by the ids of their workflows', (t) => {
  t.deepEqual(readReference(`entitlement:${UUID}:${OTHER}`), {
    is: 'access',
    productId: UUID,
    personId: OTHER,
  });
  t.deepEqual(readReference(`deliveries:${UUID}:2026-11-25T19:05Z`), {
    is: 'cohort',
    endpointId: UUID,
  });
});

test('anything else is a name, or nothing', (t) => {
  t.deepEqual(readReference('@ada'), { is: 'name', name: 'ada' });
  t.deepEqual(readReference('aB3x'), { is: 'name', name: 'aB3x' });
  t.deepEqual(readReference('paper-trail'), { is: 'name', name: 'paper-trail' });
  for (const typed of ['', 'ab', 'a b c', "'; select", 'ada@example.com', '\0', 'ü'.repeat(9)]) {
    t.is(readReference(typed), null, typed);
  }
});
