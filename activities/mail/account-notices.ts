// What the mails say that tell somebody of a change to their account.
import type { PersonalPurpose } from '../../domain/identity/mail/mail-purpose.ts';

/**
 * `path` is where the link leads. In a line, `{support}` is the address of whoever runs the platform,
 * `{device}` and `{at}` tell of a sign-in.
 */
export type Content = { subject: string; lines: string[]; path: string; button: string };

type AccountPurpose = Extract<
  PersonalPurpose,
  | 'email_change_asked'
  | 'email_changed'
  | 'password_changed'
  | 'new_sign_in'
  | 'passkey_added'
  | 'passkey_removed'
  | 'key_made'
  | 'client_secret_made'
  | 'endpoint_secret_shown'
  | 'owner_added'
  | 'product_transferred'
  | 'payouts_connected'
>;

export const ACCOUNT_NOTICES: Record<AccountPurpose, Content> = {
  email_change_asked: {
    subject: 'Somebody asked to change your e-mail address',
    lines: [
      'Somebody, we hope you, has asked to give your Gatehouse account another e-mail address. It changes once the new address is confirmed.',
      'If it was you, there is nothing to do here. If it was not, stop it: the link works for 24 hours, without signing in.',
    ],
    path: '/stop-email-change',
    button: 'Stop the change',
  },
  email_changed: {
    subject: 'Your e-mail address was changed',
    lines: [
      'Your Gatehouse account has a new e-mail address, and this one is no longer in use. All other sessions were ended.',
      'If it was not you, write to {support} at once, from this address: an operator can help you to get the account back.',
    ],
    path: '/',
    button: 'Go to Gatehouse',
  },
  password_changed: {
    subject: 'Your password was changed',
    lines: [
      'The password of your Gatehouse account was changed, and all other sessions were ended.',
      'If it was not you, ask for a new one at once.',
    ],
    path: '/forgot-password',
    button: 'Ask for a new password',
  },
  new_sign_in: {
    subject: 'New sign-in to your account',
    lines: [
      'Somebody has signed in to your Gatehouse account with a browser that we had not seen before: {device}, on {at} UTC.',
      'If it was you, there is nothing to do. If it was not, choose a new password at once: that ends all sessions, and removes passkeys and connected apps unless you keep them.',
    ],
    path: '/forgot-password',
    button: 'Choose a new password',
  },
  passkey_added: {
    subject: 'A passkey was added to your account',
    lines: [
      'A passkey was added to your Gatehouse account: whoever holds it can sign in.',
      'If it was not you, ask for a new password at once. Choosing it also removes the passkeys.',
    ],
    path: '/forgot-password',
    button: 'Ask for a new password',
  },
  passkey_removed: {
    subject: 'A passkey was removed from your account',
    lines: [
      'A passkey was removed from your Gatehouse account: it signs nobody in any more.',
      'If it was not you, ask for a new password at once.',
    ],
    path: '/forgot-password',
    button: 'Ask for a new password',
  },
  key_made: {
    subject: 'An API key was made',
    lines: [
      'An API key of a product that you own was made or replaced.',
      'The audit trail of the product says who did it and when. If nobody on your side did, revoke the key.',
    ],
    path: '/console',
    button: 'Open the console',
  },
  client_secret_made: {
    subject: 'A client secret was made',
    lines: [
      'A secret of an OAuth client that you are responsible for was made or replaced.',
      'The audit trail says who did it and when. If nobody on your side did, disable the client.',
    ],
    path: '/console',
    button: 'Open the console',
  },
  endpoint_secret_shown: {
    subject: 'The secret of a webhook endpoint was shown',
    lines: [
      'The signing secret of a webhook endpoint of a product that you own was shown or replaced. Whoever has it can sign events as we do.',
      'The audit trail of the product says who did it and when. If nobody on your side did, rotate the secret.',
    ],
    path: '/console',
    button: 'Open the console',
  },
  owner_added: {
    subject: 'A team has another owner',
    lines: [
      'Somebody became an owner of a team that you own. An owner may do everything: remove you, transfer products, connect a payout account.',
      'The audit trail of the team says who did it and when.',
    ],
    path: '/console/teams',
    button: 'See your teams',
  },
  product_transferred: {
    subject: 'A product has another owner',
    lines: [
      'A product of yours was handed to a team, or a product was handed to a team of yours. From now on its sales are paid to that team.',
      'The audit trail says who did it and when.',
    ],
    path: '/console',
    button: 'Open the console',
  },
  payouts_connected: {
    subject: 'A payout account was connected',
    lines: [
      'A payout account was connected. What your products earn is paid to it from now on.',
      'The audit trail says who did it and when. If nobody on your side did, write to {support} at once.',
    ],
    path: '/console',
    button: 'Open the console',
  },
};
