import type { PersonalPurpose } from '../../domain/identity/mail/mail-purpose.ts';
import { ACCOUNT_NOTICES, LINKS, type Content } from './account-notice-text.ts';
import { isolate, renderMail, type MailText } from './mail-template.ts';

type Facts = {
  purpose: PersonalPurpose;
  /** How the person is greeted. */
  name: string;
  token: string | null;
  baseUrl: string;
  /** The operator's address. */
  support: string;
  /** The device and the time of a sign-in. */
  device?: string | null;
  createdAt?: string;
};

/** The text of each mail; `path` is the link's target. */
const CONTENTS: Record<PersonalPurpose, Content> = {
  ...ACCOUNT_NOTICES,
  verify_email: {
    subject: 'Confirm your email address',
    lines: [
      'Confirm this email address to finish creating your Gatehouse account.',
      "The link works for 24 hours. If you didn't sign up, ignore this email.",
    ],
    path: '/verify-email',
    button: 'Confirm email address',
  },
  change_email: {
    subject: 'Confirm your new email address',
    lines: [
      'Confirm this email address to use it for your Gatehouse account.',
      "The link works for 24 hours. If you didn't request this, ignore this email.",
    ],
    path: '/verify-email',
    button: 'Confirm email address',
  },
  reset_password: {
    subject: 'Reset your password',
    lines: [
      'Reset the password of your Gatehouse account.',
      "The link works once, for one hour. If you didn't request this, ignore this email. Your password stays the same.",
    ],
    path: '/reset-password',
    button: 'Choose a new password',
  },
  known_address: {
    subject: 'You already have an account',
    lines: [
      'You already have a Gatehouse account with this email address. Sign in instead of signing up again.',
      "If you forgot your password, reset it. If you didn't try to sign up, ignore this email.",
    ],
    ...LINKS.reset,
  },
  verification_requested: {
    subject: 'A maker requests verification',
    lines: [
      'A maker in Gatehouse has requested verification. The list of requests shows what the maker sells, where you can see it and how you reach the maker.',
      'Verify the maker or decline the request there. We email the maker your decision.',
    ],
    path: '/operator/builders',
    button: 'View requests',
  },
  builder_verified: {
    subject: 'You are verified as a maker',
    lines: [
      'We have verified you as a maker. You can now create live keys, OAuth clients and webhook endpoints, set prices and list your products.',
    ],
    ...LINKS.console,
  },
  builder_declined: {
    subject: 'We could not verify you as a maker',
    lines: [
      "We couldn't verify you as a maker this time. The console shows the reason.",
      'Read the reason, change what it names and your answers, and request verification again.',
    ],
    path: '/console/verification',
    button: 'Read the reason',
  },
  builder_withdrawn: {
    subject: 'You are no longer verified as a maker',
    lines: [
      'We revoked your verification as a maker.',
      'Your products keep running, and buyers keep access. You cannot transfer a product or become an owner of a team, and a team whose owners are all no longer verified does not sell. Your personal products are not for sale, and you cannot change their live keys, clients, endpoints or prices. Test keys, and clients and endpoints on your own machine, stay open to you.',
    ],
    path: '/console/verification',
    button: 'View verification status',
  },
  endpoint_failing: {
    subject: 'A webhook delivery failed',
    lines: [
      'A webhook endpoint of one of your products did not accept a delivery. The first attempt and all five retries failed, and we will not retry automatically.',
      'The console shows the response. After you fix the endpoint, retry the delivery or recover all failed deliveries.',
      "We won't email you about this endpoint again until it has worked and then failed again.",
    ],
    ...LINKS.notifications,
  },
  endpoint_disabled: {
    subject: 'A webhook endpoint was disabled',
    lines: [
      'A webhook endpoint of one of your products accepted no delivery for five days, so we disabled it.',
      'We keep new events for it. After you fix the endpoint, enable it and recover the held deliveries, up to 14 days back.',
    ],
    ...LINKS.notifications,
  },
  alert_raised: {
    subject: 'New operator alert',
    lines: [
      'An alert in Gatehouse needs an operator. The list of alerts has the details.',
      'We send this email at most every half hour.',
    ],
    path: '/operator/alerts',
    button: 'View alerts',
  },
  operator_recovered: {
    subject: "An operator's sign-in was reset",
    lines: [
      'Someone used the command line to remove the passkeys and the password of a Gatehouse operator, so that the operator can set new ones. The audit trail names the operator.',
      'If no operator asked for this, check who can log in to the server.',
    ],
    path: '/operator/audit',
    button: 'View audit trail',
  },
  seal_earned: {
    subject: 'Your product has earned the quality seal',
    lines: [
      'One of your products met every criterion of the quality seal in two weekly reviews in a row.',
      'Buyers now see the seal on its page, in the store and in its badge with a seal. The console shows each criterion.',
    ],
    ...LINKS.notifications,
  },
  seal_noticed: {
    subject: 'Your product may lose the quality seal',
    lines: [
      'One of your products missed a criterion of the quality seal in two weekly reviews in a row.',
      'The product keeps the seal for 60 days from today. It keeps it for good if it meets every criterion in a review before then. The console shows what is missing, and there you can appeal.',
    ],
    ...LINKS.notifications,
  },
  seal_lost: {
    subject: 'Your product has lost the quality seal',
    lines: [
      'One of your products no longer has the quality seal. The console says why.',
      'A listed product earns the seal again by two passed reviews in a row.',
    ],
    ...LINKS.notifications,
  },
  renewal_ahead: {
    subject: 'Your yearly subscription renews in a week',
    lines: [
      'One of your yearly subscriptions renews in a week. We charge your card then.',
      'Your subscriptions page shows the product, the date and the amount. You can cancel the renewal on that page. You keep access until the renewal date.',
    ],
    ...LINKS.subscriptions,
  },
  renewal_failed: {
    subject: 'Your subscription could not be charged',
    lines: [
      "We couldn't charge your card for one of your subscriptions. We'll keep trying for a few days; then the subscription ends.",
      'Your subscriptions page shows the product. Update your card on that page to keep access. If the subscription has already ended, you can subscribe again.',
    ],
    ...LINKS.subscriptions,
  },
};

export const PERSONAL_PURPOSES = Object.keys(CONTENTS) as PersonalPurpose[];

/** The mails whose address may be a stranger's: they carry no words that a person has chosen. */
const UNCONFIRMED: readonly PersonalPurpose[] = ['verify_email', 'change_email', 'reset_password'];

export function composeMail({ purpose, name, token, baseUrl, ...facts }: Facts): MailText {
  const { subject, path, button, lines: templates } = CONTENTS[purpose];
  const { support, device, createdAt = '' } = facts;
  const lines = templates.map((line) =>
    line
      .replace('{support}', support)
      .replace('{device}', device ?? 'unknown device')
      .replace('{at}', createdAt),
  );
  const link = `${baseUrl}${path}${token === null ? '' : `?token=${token}`}`;
  const words = { subject, lines, link, button };
  if (UNCONFIRMED.includes(purpose)) {
    const reason = 'You get this email because somebody entered this address on Gatehouse.';
    return renderMail({ ...words, greeting: 'Hello,', reason });
  }
  const reason = 'You get this email because you have a Gatehouse account.';
  return renderMail({ ...words, greeting: `Hello ${isolate(name)},`, reason });
}
