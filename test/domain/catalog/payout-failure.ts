import test from 'ava';
import {
  describePayoutFailure,
  isNewsOfPayouts,
} from '../../../domain/catalog/payouts/payout-failure.ts';

test('each code of the processor has a reason and a remedy, unknown ones too', (t) => {
  t.is(describePayoutFailure('account_closed').reason, 'the bank account is closed');
  t.regex(describePayoutFailure('insufficient_funds').remedy, /^Nothing/);
  for (const code of [null, 'unknown', 'toString', '']) {
    t.is(describePayoutFailure(code).reason, 'the bank gave no reason');
  }
});

const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const payout = { id: 'po_1', amountMinor: 1, currency: 'USD', failureCode: null } as const;

test('an older payout than the one that was seen changes nothing', (t) => {
  const made = { ...payout, status: 'paid', createdAt: at(2) } as const;
  const seen = (payoutSeenAt: Date | null) => ({ payoutSeenAt, failedPayoutCurrency: null });
  t.true(isNewsOfPayouts(seen(null), made));
  t.true(isNewsOfPayouts(seen(at(1)), made));
  t.true(isNewsOfPayouts(seen(at(2)), made), 'the same one, which failed later');
  t.false(isNewsOfPayouts(seen(at(3)), made));
});

test('a failed payout stays until one arrives in its currency', (t) => {
  const failed = { payoutSeenAt: at(1), failedPayoutCurrency: 'EUR' };
  const made = { ...payout, createdAt: at(2) };
  t.false(isNewsOfPayouts(failed, { ...made, status: 'paid' }));
  t.true(isNewsOfPayouts(failed, { ...made, status: 'paid', currency: 'EUR' }));
  t.true(isNewsOfPayouts(failed, { ...made, status: 'failed' }), 'the later failure is shown');
});
