import test from 'ava';
import {
  readLifetimeHours,
  isLinkPurpose,
  type MailPurpose,
} from '../../../domain/identity/mail/mail-purpose.ts';

const LINKS: [MailPurpose, number][] = [
  ['verify_email', 24],
  ['change_email', 24],
  ['email_change_asked', 24],
  ['reset_password', 1],
];

const MONEY: MailPurpose[] = [
  'purchase_receipt',
  'charge_receipt',
  'sale_made',
  'sales_of_day',
  'refund_made',
  'dispute_opened',
  'payout_failed',
  'pool_paid',
  'pool_failed',
  'refund_received',
  'subscription_cancelled',
  'subscription_resumed',
];

test('a link to a new password works for an hour, all others for a day', (t) => {
  for (const [purpose, hours] of LINKS) {
    t.true(isLinkPurpose(purpose));
    t.is(readLifetimeHours(purpose), hours, purpose);
  }
});

const SEAL: MailPurpose[] = ['seal_earned', 'seal_noticed', 'seal_lost'];

test('what happened to money or a seal is sent for a week, and so is an invitation', (t) => {
  for (const purpose of [...MONEY, ...SEAL, 'team_invitation' as const]) {
    t.is(readLifetimeHours(purpose), 7 * 24, purpose);
    t.false(isLinkPurpose(purpose));
  }
});

test('a notice is sent for a day: an older one is useless', (t) => {
  for (const purpose of ['password_changed', 'alert_raised', 'renewal_ahead'] as const) {
    t.is(readLifetimeHours(purpose), 24, purpose);
    t.false(isLinkPurpose(purpose));
  }
});
