import test from 'ava';
import { decideAnnouncement, isExpiryOwed } from '../../../domain/entitlements/announcement.ts';

const at = new Date('2026-06-01T12:00:00.000Z');
const earlier = new Date(at.getTime() - 1);
const later = new Date(at.getTime() + 1);
const active = { isActive: true, endsAt: null };
const inactive = { isActive: false, endsAt: null };

test('access gained is entitlement.created', (t) => {
  t.is(decideAnnouncement(inactive, active), 'entitlement.created');
});

test('access that ran out is entitlement.expired', (t) => {
  t.is(decideAnnouncement(active, inactive), 'entitlement.expired');
});

test('a source that only lengthens the end, or changes nothing, is not announced', (t) => {
  t.is(decideAnnouncement({ isActive: true, endsAt: at }, { isActive: true, endsAt: later }), null);
  t.is(decideAnnouncement(inactive, inactive), null);
});

test('an expiry is owed from the instant of the announced end', (t) => {
  t.true(isExpiryOwed({ isActive: true, endsAt: at }, at));
  t.true(isExpiryOwed({ isActive: true, endsAt: earlier }, at));
  t.false(isExpiryOwed({ isActive: true, endsAt: later }, at));
  t.false(isExpiryOwed(active, at));
  t.false(isExpiryOwed({ isActive: false, endsAt: earlier }, at));
});
