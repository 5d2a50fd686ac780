import { html, type HtmlSafeString } from '@prairielearn/html';

/** What a page says once after something was done: its address carries the code, never the words. */
const NOTICES = {
  saved: 'Saved.',
  email_verified: 'Your e-mail address is confirmed.',
  email_asked: 'We have sent a mail to the new address. Follow its link to confirm it.',
  email_changed: 'Your e-mail address was changed, and all other sessions were ended.',
  email_change_stopped:
    'The change of address was stopped. If you did not ask for it, somebody else can get into your account: choose a new password now.',
  email_change_over: 'No change of address is waiting any more.',
  verification_sent: 'We have sent you a new link.',
  password_changed: 'Your password was changed, and all other sessions were ended.',
  password_reset: 'Your password was changed. Please sign in with it.',
  session_ended: 'The session was ended.',
  signed_out_everywhere: 'All sessions were ended.',
  passkey_added: 'The passkey was added.',
  passkey_removed: 'The passkey was removed.',
  key_revoked: 'The key was revoked: it is refused from now on.',
  grant_withdrawn: 'The grant was withdrawn.',
  granted: 'Access was granted.',
  refund_requested: 'The refund is on its way to the payment processor.',
  endpoint_disabled: 'The endpoint is disabled: what happens from now on is kept for it, not sent.',
  endpoint_enabled:
    'The endpoint is enabled. What was kept for it until now stays until you recover it.',
  endpoint_deleted: 'The endpoint was deleted. What was still to be sent to it is cancelled.',
  test_sent: 'A test event is on its way.',
  delivery_queued: 'The delivery is queued again: it is sent within a minute.',
  delivery_already_queued: 'The delivery is already queued.',
  delivery_not_dead: 'There is nothing to retry: it is not dead, or its endpoint is gone.',
  notifications_read: 'Marked as read.',
  verification_asked: 'You have asked to be verified. We will write to you.',
  builder_verified: 'They are verified as a builder now, and are told by mail.',
  builder_declined: 'Their request was declined, and they are told by mail.',
  builder_withdrawn: 'Their verification was withdrawn, and they are told by mail.',
  unchanged: 'Nothing was changed: it was done before, or cannot be done any more.',
  alert_resolved: 'The alert is resolved.',
  event_tried: "The event is handed to its purchase's workflow.",
  event_unclaimed: 'Nothing was changed: it still names no purchase that we know.',
  event_set_aside: 'The event was set aside.',
  message_sent: 'The message is on its way again.',
  account_deleted: 'Your account was deleted.',
  product_created: 'The product is a draft now: nobody but you and your team sees it.',
  product_transferred: 'The product belongs to the team now.',
  product_listed: 'The product is listed: everybody finds it in the store.',
  product_unlisted:
    'The product is unlisted: its page stays, nobody can buy it, and nobody loses access.',
  product_removed: 'The product was removed for good.',
  product_included: 'Everybody with Member may use the product from now on.',
  product_excluded:
    'The product is no longer Included with Member. Those who had opened it are told.',
  price_set: 'The price holds from now on.',
  price_withdrawn: 'The price was withdrawn.',
  operator_set: 'You answer for the sales of this product now.',
  operator_unset: 'Nobody answers for the sales of this product now: it cannot be bought.',
  payouts_refreshed: 'The status of the payout account is as the payment processor has it now.',
  payouts_returned:
    'Back from the payment processor. The status of the payout account follows within a moment.',
  payouts_unavailable:
    'The payment processor cannot be reached right now. Please try again in a few minutes.',
  payouts_link_over: 'That link to the payment processor was over. Please continue from here.',
  subscription_cancelled: 'The subscription is being cancelled.',
  subscription_resumed: 'The subscription is being resumed.',
  card_returned:
    'Back from the payment processor. What another card changes is shown here within a moment.',
  member_opened: 'You use this product with Member from now on.',
  member_cancelled: 'Your membership is being cancelled.',
  member_resumed: 'Your membership is being resumed.',
  currency_enabled: 'Products can be priced and sold in the currency now.',
  currency_disabled: 'Nothing is sold in the currency any more.',
  fee_set: 'The fee holds for checkouts from now on.',
  team_founded: 'The team is there. Invite those who work with you.',
  team_renamed: 'The team has a new name.',
  team_deleted: 'The team was deleted.',
  team_left: 'You are no longer a member of the team.',
  team_joined: 'You are a member of the team now.',
  role_changed: 'The role was changed.',
  member_removed: 'The member was removed.',
  owner_made: 'The team has another owner.',
  invitation_sent: 'The invitation is on its way.',
  invitation_withdrawn: 'The invitation was withdrawn.',
} as const;

export type Notice = keyof typeof NOTICES;

function isNotice(code: unknown): code is Notice {
  return typeof code === 'string' && Object.hasOwn(NOTICES, code);
}

/** Nothing for codes that are not ours. */
export function notice(code: unknown): HtmlSafeString | '' {
  if (!isNotice(code)) return '';
  return html`<p class="notice" role="status" data-notice="${code}">${NOTICES[code]}</p>`;
}

/** Why nothing may be changed on a page. */
export function blockNotice(blockReason: string | null): HtmlSafeString | '' {
  return blockReason === null ? '' : html`<p class="notice" role="status">${blockReason}</p>`;
}

/** Why what was asked for was not done. */
export function problemNotice(problem: string | null | undefined): HtmlSafeString | '' {
  return problem ? html`<p class="notice" role="alert">${problem}</p>` : '';
}

/** Back to a page that will say so. */
export function withNotice(path: string, code: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}notice=${code}`;
}
