// Everything that the audit trail can say that somebody did: one sentence for each.

const AUDIT_ACTIONS = {
  'client.created': 'registered an OAuth client',
  'client.rotate': 'made a new secret for an OAuth client',
  'client.disable': 'disabled an OAuth client',
  'client.enable': 'enabled an OAuth client',
  'client.send_iss': 'switched on iss for an OAuth client',
  'client.omit_iss': 'switched off iss for an OAuth client',
  'client.delete': 'deleted an OAuth client',
  'client.redirect_uris': 'changed the redirect URIs of an OAuth client',
  'key.created': 'made an API key',
  'key.rotated': 'replaced an API key',
  'key.revoked': 'revoked an API key',
  'endpoint.created': 'added a webhook endpoint',
  'endpoint.changed': 'changed a webhook endpoint',
  'endpoint.disabled': 'disabled a webhook endpoint',
  'endpoint.enabled': 'enabled a webhook endpoint',
  'endpoint.deleted': 'deleted a webhook endpoint',
  'endpoint.secret_shown': 'looked at the secret of a webhook endpoint',
  'endpoint.secret_rotated': 'rotated the secret of a webhook endpoint',
  'endpoint.tested': 'sent a test to a webhook endpoint',
  'grant.made': 'granted access',
  'grant.withdrawn': 'withdrew a grant',
  'refund.requested': 'asked for a refund',
  'delivery.retried': 'queued a dead delivery again',
  'delivery.recovered': 'recovered deliveries',
  'builder.requested': 'asked to be verified as a builder',
  'builder.verified': 'verified a builder',
  'builder.declined': 'declined to verify a builder',
  'builder.withdrawn': 'withdrew the verification of a builder',
  'alert.resolved': 'resolved an alert',
  'event.retried': 'tried a parked event of the processor again',
  'event.set_aside': 'set a parked event of the processor aside',
  'message.sent_again': 'sent a parked message again',
  'operator.created': 'made an operator with a new account',
  'operator.promoted': 'made somebody an operator',
  'operator.removed': 'took an operator back',
  'product.created': 'made a product',
  'product.changed': 'changed the listing of a product',
  'product.slug_changed': 'gave a product another slug',
  'product.listed': 'listed a product',
  'product.unlisted': 'unlisted a product',
  'product.removed': 'removed a product for good',
  'product.operator_set': 'took on to answer for the sales of a product',
  'product.operator_unset': 'ended that somebody answers for the sales of a product',
  'price.set': 'set a price',
  'price.made_base': 'made a price the base price',
  'price.withdrawn': 'withdrew a price',
  'payouts.connected': 'connected a payout account',
  'payouts.refreshed': 'refreshed the status of a payout account',
  'currency.enabled': 'enabled a currency',
  'currency.disabled': 'disabled a currency',
  'member_price.set': 'set a price of Member',
  'member_price.withdrawn': 'withdrew a price of Member',
  'fee.set': "set the platform's fee",
  'product.handed_over': 'handed a product over to a team',
  'product.received': 'brought a product into the team',
  'team.founded': 'founded the team',
  'team.renamed': 'renamed the team',
  'team.deleted': 'deleted the team',
  'member.joined': 'joined by an invitation',
  'member.role_changed': 'changed a role',
  'member.removed': 'removed a member',
  'member.left': 'left the team',
  'invitation.sent': 'invited somebody',
  'invitation.withdrawn': 'withdrew an invitation',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** What was done, in words; rows of an earlier day may name what is no longer done. */
export function describeAction(action: string): string {
  return isAction(action) ? AUDIT_ACTIONS[action] : action;
}

function isAction(action: string): action is AuditAction {
  return Object.hasOwn(AUDIT_ACTIONS, action);
}
