import test from 'ava';
import {
  decidePurchase,
  isPurchaseOpen,
  hasReceivedMoney,
  PURCHASE_STATUSES,
  waitForNewsMs,
  type PurchaseStatus,
  type Reading,
} from '../../../../domain/billing/purchases/purchase-status.ts';

const snapshot = { amountMinor: 1900, currency: 'USD', isOwnedAlready: false };
const reading = (status: Reading['status'], more: Partial<Reading> = {}): Reading => ({
  status,
  amountMinor: 1900,
  currency: 'USD',
  ...more,
});

const STATUSES: PurchaseStatus[] = [
  'pending',
  'clearing',
  'cleared',
  'failed',
  'canceled',
  'quarantined',
  'refunded',
  'charged_back',
];

test('a purchase has eight statuses', (t) => {
  t.deepEqual([...PURCHASE_STATUSES], STATUSES);
});

// Each row: what the processor says, and where it leads from each status that it moves.
const arrows: [Reading['status'], Partial<Record<PurchaseStatus, PurchaseStatus>>][] = [
  ['open', {}],
  ['declined', {}],
  ['clearing', { pending: 'clearing' }],
  ['failed', { pending: 'failed', clearing: 'failed' }],
  ['expired', { pending: 'canceled' }],
  ['paid', { pending: 'cleared', clearing: 'cleared', failed: 'cleared', canceled: 'cleared' }],
];

for (const [status, moves] of arrows) {
  test(`a checkout that is ${status} moves a purchase only along its arrows`, (t) => {
    for (const current of STATUSES) {
      t.is(decidePurchase(current, reading(status), snapshot), moves[current] ?? null, current);
    }
  });
}

test('an amount or a currency that differs from the snapshot is quarantined, never a grant', (t) => {
  t.is(decidePurchase('pending', reading('paid', { amountMinor: 1899 }), snapshot), 'quarantined');
  t.is(decidePurchase('pending', reading('paid', { amountMinor: 1901 }), snapshot), 'quarantined');
  t.is(decidePurchase('pending', reading('paid', { currency: 'EUR' }), snapshot), 'quarantined');
});

test('money for what is owned already is quarantined', (t) => {
  const owned = { ...snapshot, isOwnedAlready: true };
  t.is(decidePurchase('canceled', reading('paid'), owned), 'quarantined');
});

test('the processor is asked again a minute after its session ends, and every six hours while money clears', (t) => {
  const wait = (status: PurchaseStatus, remainingMs: number, isDeadLettered = false) =>
    waitForNewsMs({ status, remainingMs, isDeadLettered }) / 60_000;
  t.is(wait('pending', 24 * 3_600_000), 24 * 60 + 1);
  t.is(wait('pending', 60_000), 2);
  t.true(wait('pending', 1) < 2);
  t.is(wait('pending', 0), 10);
  t.is(wait('clearing', 1_000), 6 * 60);
  t.is(wait('pending', 1_000, true), 6 * 60);
});

test('the money has arrived in four of the statuses', (t) => {
  t.deepEqual(STATUSES.filter(hasReceivedMoney), [
    'cleared',
    'quarantined',
    'refunded',
    'charged_back',
  ]);
});

test('its workflow waits while it is pending or clearing, but not for another card', (t) => {
  t.deepEqual(
    STATUSES.filter((status) => isPurchaseOpen(status, 'open')),
    ['pending', 'clearing'],
  );
  t.true(isPurchaseOpen('pending', null));
  t.false(isPurchaseOpen('pending', 'declined'));
  t.true(isPurchaseOpen('clearing', 'declined'));
});
