import { html, type HtmlSafeString } from '@prairielearn/html';

/** The flash messages, by their codes. */
const NOTICES = {
  saved: 'Saved.',
  email_verified: 'Your email address is confirmed.',
  email_asked: 'Check your new email address for a confirmation link.',
  email_changed: 'Your email address was changed. You were signed out everywhere else.',
  email_change_stopped:
    'The email change was stopped. If you did not request it, someone else can sign in to your account. Choose a new password now.',
  email_change_over: 'No email change is pending.',
  verification_sent: 'We sent you a new link.',
  mail_sent_again: 'We send the email again, unless this address got too many already.',
  password_changed: 'Your password was changed. You were signed out everywhere else.',
  password_reset: 'Your password was changed. Sign in with your new password.',
  session_ended: 'Session ended.',
  signed_out_everywhere: 'You were signed out everywhere.',
  passkey_added: 'Passkey added.',
  passkey_removed: 'Passkey removed.',
  key_revoked: 'Key revoked. It no longer works.',
  grant_withdrawn: 'Access revoked.',
  granted: 'Access granted.',
  refund_requested: 'Refund requested.',
  endpoint_disabled: 'Endpoint disabled. New events are kept for it, but not sent.',
  endpoint_enabled: 'Endpoint enabled. To send the held deliveries, recover them.',
  endpoint_deleted: 'Endpoint deleted. Its pending deliveries were cancelled.',
  test_sent: 'Test event queued.',
  example_sent: 'Example event queued.',
  delivery_queued: 'Delivery queued. It is sent within a minute.',
  delivery_already_queued: 'The delivery is already queued.',
  delivery_not_sent:
    'Nothing to send. The delivery is held or cancelled, or its endpoint is disabled or deleted.',
  delivery_retried_now: 'The next retry is due now. It is sent as soon as the endpoint is free.',
  delivery_not_waiting: 'No change. This retry is already due, or was already made.',
  notifications_read: 'Marked as read.',
  verification_asked: "Verification requested. We'll email you.",
  builder_verified: "Maker verified. We've emailed the maker.",
  builder_declined: "Request declined. We've emailed them.",
  builder_withdrawn: "Verification revoked. We've emailed them.",
  unchanged: 'No change.',
  alert_resolved: 'Alert resolved.',
  event_tried: 'We are trying the event again.',
  event_unclaimed: 'No change. The purchase of the event is still unknown.',
  event_set_aside: 'Event set aside.',
  message_sent: 'The job will run again.',
  account_deleted: 'Your account was deleted.',
  release_added: 'Release added.',
  release_removed: 'Release removed.',
  picture_taken_down: 'Picture taken down. No product shows it any more.',
  product_created: 'Draft created. Only you and your team can see it.',
  product_transferred: 'Product transferred to the team.',
  product_listed: 'Product listed. Everyone can find it in the store.',
  product_unlisted: 'Product unlisted. Its page stays, but nobody can buy it. Nobody loses access.',
  product_removed: 'Product removed.',
  product_included: 'Product included with Member. All members can use it.',
  product_excluded: 'Product removed from Member.',
  appeal_sent: 'Appeal sent. An operator will read it.',
  shelf_chosen: 'Shelf saved. Visitors see it within 10 seconds.',
  seal_restored: 'Seal restored until the next review.',
  appeal_declined: 'Appeal declined.',
  period_approved: 'Month approved. Its payouts start now.',
  period_not_in_review: 'No change. The month is not in review any more.',
  preview_refused: 'No change. A preview is being made already, or the month is frozen.',
  pool_product_held: 'Product held. What it gets waits until you release it.',
  pool_product_released: 'Product released. What waited is paid with the next payouts.',
  evidence_excluded: 'Evidence excluded. It does not count in the pool.',
  pool_setting_set: 'Settings updated.',
  first_payout_confirmed: 'First payout confirmed. It is paid with the next month.',
  payout_found_paid: 'Payout recorded as paid. Its workflow ends now.',
  payout_found_not_paid: 'Payout recorded as not paid. A later month pays the amount.',
  payout_outcome_known: 'No change. The outcome is known by now, or an attempt is under way.',
  price_set: 'Price updated.',
  price_withdrawn: 'Price removed.',
  operator_set: 'You are now the seller of record.',
  operator_unset: 'Seller of record removed. The product cannot be bought.',
  payouts_refreshed: 'Payout account updated from the payment processor.',
  payouts_returned:
    "We're waiting for the payment processor's answer. Refresh the status in a moment.",
  processor_unavailable: "We can't reach the payment processor. Try again in a few minutes.",
  payouts_link_over: 'That link to the payment processor has expired. Continue from here.',
  subscription_cancelled: 'Cancelling the subscription.',
  subscription_resumed: 'Resuming the subscription.',
  card_returned: 'If you updated your card, the change appears here shortly.',
  checkout_discarded: "Checkout discarded. You weren't charged.",
  checkout_over: "The checkout has expired. You weren't charged, and you can start again.",
  processor_away: "We can't reach the payment processor. Try again in a few minutes.",
  member_opened: 'Added to your library.',
  member_cancelled: 'Cancelling your membership.',
  member_resumed: 'Resuming your membership.',
  currency_enabled: 'Currency enabled.',
  currency_disabled: 'Currency disabled. Nothing can be sold in it.',
  fee_set: 'Fee updated. It applies to new checkouts.',
  team_founded: 'Team created. Invite the people you work with.',
  team_renamed: 'Team renamed.',
  team_deleted: 'Team deleted.',
  team_left: 'You left the team.',
  team_joined: 'You joined the team.',
  role_changed: 'Role changed.',
  member_removed: 'Member removed.',
  owner_made: 'The member is now an owner.',
  invitation_sent: 'Invitation sent.',
  invitation_resent: 'Invitation sent again. The earlier link no longer works.',
  invitation_withdrawn: 'Invitation revoked.',
} as const;

export type Notice = keyof typeof NOTICES;

export function isNotice(code: string): code is Notice {
  return Object.hasOwn(NOTICES, code);
}

export function notice(code: Notice): HtmlSafeString {
  return html`<p class="notice" role="status" data-notice="${code}">${NOTICES[code]}</p>`;
}

export const VERIFICATION = '/console/verification';

/** Ends a reason that verification would take away. */
export const ONCE_VERIFIED = 'once you are a verified maker.';

/** Tells why the page is read-only. */
export function blockNotice(blockReason: string | null): HtmlSafeString | '' {
  if (blockReason === null) return '';
  const more = blockReason.includes(ONCE_VERIFIED)
    ? html` <a href="${VERIFICATION}">Verification</a>`
    : '';
  return html`<p class="notice" role="status">${blockReason}${more}</p>`;
}

/** Tells why the action was refused. */
export function problemNotice(problem: string | null | undefined): HtmlSafeString | '' {
  return problem ? html`<p class="notice" role="alert">${problem}</p>` : '';
}

/** Stands where a key or secret was shown before the page was loaded again. */
export function shownBefore(what: string, remedy: string): HtmlSafeString {
  return html`<p class="notice" role="status" data-shown-before>
    The new ${what} was shown once. If you did not copy it, ${remedy}.
  </p>`;
}

/** A page to go to, and the notice that it shows once. */
export type Flash = {
  location: string;
  notice: Notice;
  /** The page is reached by way of the payment processor. */
  isAfterProcessor?: boolean;
};

export function withNotice(location: string, code: Notice): Flash {
  return { location, notice: code };
}
