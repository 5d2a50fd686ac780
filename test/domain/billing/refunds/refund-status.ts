import test from 'ava';
import {
  decideRefund,
  REFUND_REASONS,
  REFUND_STATUSES,
  REFUND_WAIT_MS,
  REFUNDABLE,
  refundableMinor,
  type RefundReading,
  type RefundStatus,
} from '../../../../domain/billing/refunds/refund-status.ts';
import {
  decidePaymentStatus,
  decideReturnedPurchase,
} from '../../../../domain/billing/returned-money/decide-returned-purchase.ts';

// Each row: the status, and where pending, succeeded, failed and canceled lead from there.
const ARROWS: [RefundStatus, ...(RefundStatus | null)[]][] = [
  ['requested', 'submitted', 'succeeded', 'failed', 'canceled'],
  ['submitted', null, 'succeeded', 'failed', 'canceled'],
  ['succeeded', null, null, 'reversed', 'reversed'],
  ['reversed', null, null, null, null],
  ['failed', null, null, null, null],
  ['canceled', null, null, null, null],
];
const READINGS: RefundReading[] = ['pending', 'succeeded', 'failed', 'canceled'];

for (const [current, ...led] of ARROWS) {
  test(`a refund that is ${current} moves only along its arrows`, (t) => {
    t.deepEqual(
      READINGS.map((reading) => decideRefund(current, reading)),
      led,
    );
  });
}

test('a refund has a status of its row, and a reason that a seller may choose', (t) => {
  t.deepEqual(
    [...REFUND_STATUSES],
    ARROWS.map(([status]) => status),
  );
  t.deepEqual([...REFUND_REASONS], ['requested_by_customer', 'duplicate', 'fraudulent']);
});

test('what cleared, is still clearing or went back in part may be refunded', (t) => {
  t.deepEqual([...REFUNDABLE], ['clearing', 'succeeded', 'partially_refunded']);
});

test('the processor is asked about a refund every six hours', (t) => {
  t.is(REFUND_WAIT_MS, 6 * 3_600_000);
});

const PAID = { grossMinor: 1_900, refundedMinor: 0, underWayMinor: 0, disputedMinor: 0 };

test('refundable = gross - refunded - under way - disputed, and never below nothing', (t) => {
  t.is(refundableMinor(PAID), 1_900);
  t.is(refundableMinor({ ...PAID, refundedMinor: 500, underWayMinor: 300 }), 1_100);
  t.is(refundableMinor({ ...PAID, disputedMinor: 1_900 }), 0);
  t.is(refundableMinor({ ...PAID, refundedMinor: 1_900, disputedMinor: 1_900 }), 0);
});

test('a payment is refunded in part until what went back reaches the gross', (t) => {
  const statusAt = (returnedMinor: number) =>
    decidePaymentStatus({ grossMinor: 1_900, returnedMinor });
  t.deepEqual([0, 1, 1_899, 1_900, 1_901].map(statusAt), [
    'succeeded',
    'partially_refunded',
    'partially_refunded',
    'refunded',
    'refunded',
  ]);
});

test('a purchase follows the money: back with all of its gross, and what it was when it came back', (t) => {
  const decide = (
    status: Parameters<typeof decideReturnedPurchase>[0]['status'],
    returnedMinor: number,
    { wasCleared = true, isChargeback = false } = {},
  ) =>
    decideReturnedPurchase(
      { status, wasCleared },
      { grossMinor: 1_900, returnedMinor, isChargeback },
    );
  const [bank, never] = [{ isChargeback: true }, { wasCleared: false }];
  t.is(decide('cleared', 1_899), null);
  t.is(decide('cleared', 1_900), 'refunded');
  t.is(decide('cleared', 1_900, bank), 'charged_back');
  t.is(decide('quarantined', 1_900, never), 'refunded');
  t.is(decide('quarantined', 1_900, { ...never, ...bank }), 'refunded');
  for (const status of ['refunded', 'charged_back'] as const) {
    t.is(decide(status, 1_900, bank), null);
    t.is(decide(status, 3_800), null);
    t.is(decide(status, 0), 'cleared');
    t.is(decide(status, 0, never), 'quarantined');
  }
  t.is(decide('pending', 1_900), null);
});
