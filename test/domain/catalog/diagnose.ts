import test from 'ava';
import { diagnose, ISSUES, type Integration } from '../../../domain/catalog/diagnose.ts';

const AT = new Date('2026-11-21T00:00:00Z');

const HEALTHY: Integration = {
  keys: [{ name: 'Server', mode: 'live', expiresAt: null }],
  clients: [{ name: 'Web', isDisabled: false, secretsEnd: [] }],
  endpoints: [
    {
      url: 'https://hooks.example/',
      events: ['purchase.completed'],
      isDisabled: false,
      failingSince: null,
      previousUntil: null,
    },
  ],
  retrying: 0,
  dead: 0,
  held: 0,
  openDisputes: 0,
  disputeDueAt: null,
  failedRenewals: 0,
  failedPayout: null,
};
const [endpoint] = HEALTHY.endpoints as [Integration['endpoints'][number]];
const [client] = HEALTHY.clients as [Integration['clients'][number]];
const [key] = HEALTHY.keys as [Integration['keys'][number]];

const CASES: [string, Partial<Integration>, string[]][] = [
  ['all is well', {}, []],
  ['no key at all', { keys: [] }, ['no_live_key']],
  ['only a test key', { keys: [{ ...key, mode: 'test' }] }, ['no_live_key']],
  ['no client', { clients: [] }, ['no_oauth_client']],
  ['a disabled client only', { clients: [{ ...client, isDisabled: true }] }, ['no_oauth_client']],
  ['neither key nor client', { keys: [], clients: [] }, ['no_way_to_check']],
  ['no endpoint', { endpoints: [] }, ['no_endpoint']],
  [
    'an endpoint that hears nothing of purchases',
    { endpoints: [{ ...endpoint, events: ['entitlement.created'] }] },
    ['purchase_not_subscribed'],
  ],
  [
    'the only endpoint disabled',
    { endpoints: [{ ...endpoint, isDisabled: true }] },
    ['endpoint_disabled', 'purchase_not_subscribed'],
  ],
  [
    'an endpoint that fails',
    { endpoints: [{ ...endpoint, failingSince: AT }] },
    ['endpoint_failing'],
  ],
  [
    'a rotation of the webhook secret',
    { endpoints: [{ ...endpoint, previousUntil: AT }] },
    ['secret_rotation_ending'],
  ],
  ['dead and held deliveries', { dead: 3, held: 1 }, ['dead_deliveries', 'held_deliveries']],
  ['retries', { retrying: 2 }, ['retrying_deliveries']],
  [
    'a payout that the bank refused',
    { failedPayout: { reason: 'the bank account is closed', madeAt: AT }, openDisputes: 1 },
    ['open_disputes', 'payout_failed'],
  ],
  [
    'a dispute, and a renewal that failed',
    { openDisputes: 1, disputeDueAt: AT, failedRenewals: 1 },
    ['open_disputes', 'failed_renewals'],
  ],
  [
    'a replaced key beside the new one',
    { keys: [key, { ...key, name: 'Old', expiresAt: AT }] },
    ['key_expiring'],
  ],
  [
    'nothing but a replaced key',
    { keys: [{ ...key, expiresAt: AT }] },
    ['no_live_key', 'key_expiring'],
  ],
  [
    'a replaced client secret',
    { clients: [{ ...client, secretsEnd: [AT] }] },
    ['client_secret_expiring'],
  ],
];

for (const [title, change, codes] of CASES) {
  test(`diagnosis: ${title}`, (t) => {
    const found = diagnose({ ...HEALTHY, ...change });
    t.deepEqual(
      found.map(({ code }) => code as string),
      codes,
    );
  });
}

test('every issue of the closed list has a case', (t) => {
  const covered = new Set(CASES.flatMap(([, , codes]) => codes));
  t.deepEqual([...covered].toSorted(), [...ISSUES].toSorted());
});
