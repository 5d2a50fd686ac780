// The texts of mails about changes of an account.
import type { OwnerMailPurpose, PersonalPurpose } from '../../domain/identity/mail/mail-purpose.ts';

/**
 * `path` is the link's target. In a line, `{support}` is the operator's address, and `{device}` and
 * `{at}` describe a sign-in.
 */
export type Content = {
  subject: string;
  lines: string[];
  facts?: Record<string, string>;
  path: string;
  button: string;
};

/** The pages to which several mails lead. */
export const LINKS = {
  console: { path: '/console', button: 'Open the console' },
  notifications: { path: '/console/notifications', button: 'View notifications' },
  reset: { path: '/forgot-password', button: 'Reset your password' },
  subscriptions: { path: '/settings/purchases', button: 'View subscriptions' },
};

type AccountPurpose = Extract<
  PersonalPurpose,
  | 'email_change_asked'
  | 'email_changed'
  | 'password_changed'
  | 'new_sign_in'
  | 'passkey_added'
  | 'passkey_removed'
  | OwnerMailPurpose
>;

export const ACCOUNT_NOTICES: Record<AccountPurpose, Content> = {
  email_change_asked: {
    subject: 'Email change requested',
    lines: [
      'A change of the email address of your Gatehouse account was requested. It takes effect when the new address is confirmed.',
      "If you requested this, you don't need to do anything. If you didn't, stop the change. The link works for 24 hours. You don't need to sign in.",
    ],
    path: '/stop-email-change',
    button: 'Stop the change',
  },
  email_changed: {
    subject: 'Your email address was changed',
    lines: [
      'Your Gatehouse account has a new email address and no longer uses this one. All other sessions were ended.',
      "If you didn't do this, contact {support} from this address. An operator can help you get the account back.",
    ],
    path: '/',
    button: 'Go to Gatehouse',
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: [
      'The password of your Gatehouse account was changed, and all other sessions were ended.',
      "If you didn't do this, reset your password now.",
    ],
    ...LINKS.reset,
  },
  new_sign_in: {
    subject: 'New sign-in to your account',
    lines: [
      'Someone signed in to your Gatehouse account from a new browser: {device}, on {at}.',
      "If this was you, you don't need to do anything. If it wasn't, choose a new password now. That ends all sessions and removes passkeys and connected apps unless you keep them.",
    ],
    path: '/forgot-password',
    button: 'Choose a new password',
  },
  passkey_added: {
    subject: 'A passkey was added to your account',
    lines: [
      'A passkey was added to your Gatehouse account. It can be used to sign in.',
      "If you didn't do this, reset your password now. The reset also removes passkeys unless you keep them.",
    ],
    ...LINKS.reset,
  },
  passkey_removed: {
    subject: 'A passkey was removed from your account',
    lines: [
      'A passkey was removed from your Gatehouse account. It can no longer be used to sign in.',
      "If you didn't do this, reset your password now.",
    ],
    ...LINKS.reset,
  },
  key_made: {
    subject: 'An API key was created',
    lines: [
      'An API key of one of your products was created or rotated.',
      "The audit trail of the product shows who did it and when. If you don't recognize this, revoke the key.",
    ],
    ...LINKS.console,
  },
  client_secret_made: {
    subject: 'A client secret was created',
    lines: [
      'A secret of one of your OAuth clients was created or rotated.',
      "The audit trail shows who did it and when. If you don't recognize this, disable the client.",
    ],
    ...LINKS.console,
  },
  endpoint_secret_shown: {
    subject: 'A webhook secret was shown or rotated',
    lines: [
      'The signing secret of a webhook endpoint of one of your products was shown or rotated. Anyone with this secret can forge events.',
      "The audit trail of the product shows who did it and when. If you don't recognize this, rotate the secret.",
    ],
    ...LINKS.console,
  },
  owner_added: {
    subject: 'A team has a new owner',
    lines: [
      'One of your teams has a new owner. Owners can do everything, including removing you, transferring products and connecting a payout account.',
      'The audit trail of the team shows who did it and when.',
    ],
    path: '/console/teams',
    button: 'View teams',
  },
  product_transferred: {
    subject: 'A product was transferred',
    lines: [
      'One of your products was transferred to a team, or a product was transferred to one of your teams. New sales are paid to that team.',
      'The audit trail shows who did it and when.',
    ],
    ...LINKS.console,
  },
  payouts_stopped: {
    subject: 'Your payout account needs attention',
    lines: [
      'The payment processor stopped charges for your payout account. Your products cannot be bought until the account works again.',
      'The Selling page of your product leads to the payment processor, which says what is missing.',
    ],
    ...LINKS.console,
  },
  payouts_connected: {
    subject: 'A payout account was connected',
    lines: [
      "A payout account was connected, or replaced by another one. Once the new account is ready, your products' earnings are paid to it. Until then, nobody can buy your products.",
      "The audit trail shows who did it and when. If you don't recognize this, contact {support}.",
    ],
    ...LINKS.console,
  },
};
