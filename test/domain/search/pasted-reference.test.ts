import test from 'ava';
import { readReference } from '../../../domain/search/pasted-reference.ts';

const UUID = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f81';
const OTHER = '0199f3a8-6c1e-7000-8000-9e0d2b4c6f82';
const ULID = '01M864KCQW0000000000000000';

test('a public id is known by its prefix, alone or as the id of a workflow', (t) => {
  for (const prefix of ['evt', 'pay', 'ch', 're', 'dp', 'sub', 'grant'] as const) {
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

test('a request and a client are known by their own kinds of ids', (t) => {
  const request = `req_${'aB3'.repeat(8)}`;
  t.deepEqual(readReference(request), { is: 'public_id', prefix: 'req', id: request });
  const client = `gcl_${'aB'.repeat(11)}`;
  t.deepEqual(readReference(client), { is: 'public_id', prefix: 'gcl', id: client });
  t.deepEqual(readReference('gcl_short'), { is: 'name', name: 'gcl_short' });
});

test('an address is an email address, whatever its case', (t) => {
  const address = 'Ada+shop@Example.com';
  t.deepEqual(readReference(address), { is: 'email', address });
});

test('anything else is a name, words of one, or nothing', (t) => {
  t.deepEqual(readReference('@ada'), { is: 'name', name: 'ada' });
  t.deepEqual(readReference('aB3x'), { is: 'name', name: 'aB3x' });
  t.deepEqual(readReference('paper-trail'), { is: 'name', name: 'paper-trail' });
  for (const words of ['ab', 'Paper Trail', "'; select", 'ü'.repeat(9), '紙の', '50% off_']) {
    t.deepEqual(readReference(words), { is: 'words', words });
  }
  t.deepEqual(readReference('u\u0308ber  uns'), { is: 'words', words: 'über uns' });
  for (const typed of ['', 'a', '\0', 'a\0b', 'x'.repeat(255)]) {
    t.is(readReference(typed), null, typed);
  }
});
