import test from 'ava';
import {
  decideEntitlementEvent,
  type ChangeReason,
} from '../../../domain/entitlements/decide-entitlement-event.ts';
import { isExpiryOwed, type Announced } from '../../../domain/entitlements/expiry.ts';

const at = new Date('2026-06-01T12:00:00.000Z');
const earlier = new Date(at.getTime() - 1);
const later = new Date(at.getTime() + 1);

const open: Announced = { isActive: true, endsAt: null };
const ending: Announced = { isActive: true, endsAt: at };
const endingLater: Announced = { isActive: true, endsAt: later };
const none: Announced = { isActive: false, endsAt: null };
const ended: Announced = { isActive: false, endsAt: at };

/** The table of causes, row by row. */
const ROWS: [string, ChangeReason, Announced, Announced, string | null][] = [
  ['a purchase cleared, a grant made or a product opened', 'granted', none, open, 'created'],
  ['access gained once more after it has ended', 'granted', ended, open, 'created'],
  ['a second source beside an active one', 'granted', open, open, null],
  ['a source that only lengthens the end', 'granted', ending, endingLater, null],
  ['a source that takes the end away', 'granted', ending, open, null],
  ["a grant's start that arrives", 'elapsed', none, open, 'created'],
  ['a subscription cancelled: its end becomes the end', 'cancelled', open, ending, 'canceled'],
  ['a subscription cancelled whose end is over', 'cancelled', open, ended, 'canceled'],
  ['a cancellation while another source lasts longer', 'cancelled', open, open, null],
  ['a cancellation while another source ends later', 'cancelled', endingLater, endingLater, null],
  ['resumed before the end', 'resumed', ending, open, 'resumed'],
  ['resumed while another source has no end', 'resumed', open, open, null],
  ['resumed while another end remains', 'resumed', ending, endingLater, null],
  ['a successful renewal charge', 'renewed', open, open, 'renewed'],
  ['a renewal after access has ended', 'renewed', ended, open, 'created'],
  ['grace, period, grant or membership over', 'elapsed', ending, ended, 'expired'],
  ['grace that begins', 'elapsed', open, ending, null],
  ['a grant withdrawn or an account deleted', 'withdrawn', open, ended, 'canceled'],
  ['a grant withdrawn beside another source', 'withdrawn', open, open, null],
  ['refunds that reach the gross', 'refunded', open, ended, 'refunded'],
  ['a refund while another source remains', 'refunded', open, ending, null],
  ['a refund that failed late', 'granted', ended, open, 'created'],
  ['a change without access before and after', 'withdrawn', none, none, null],
];

for (const [title, reason, before, after, expected] of ROWS) {
  test(`${title}: ${expected === null ? 'no event' : `entitlement.${expected}`}`, (t) => {
    const name = decideEntitlementEvent({ reason, before, after });
    t.is(name, expected === null ? null : (`entitlement.${expected}` as typeof name));
  });
}

test('an expiry is owed from the instant of the announced end', (t) => {
  t.true(isExpiryOwed({ isActive: true, endsAt: at }, at));
  t.true(isExpiryOwed({ isActive: true, endsAt: earlier }, at));
  t.false(isExpiryOwed({ isActive: true, endsAt: later }, at));
  t.false(isExpiryOwed(open, at));
  t.false(isExpiryOwed({ isActive: false, endsAt: earlier }, at));
});
