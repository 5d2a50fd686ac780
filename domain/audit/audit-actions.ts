// Every action of the audit trail, and its words.

const AUDIT_ACTIONS = {
  'client.created': 'created an OAuth client',
  'client.rotate': 'rotated the secret of an OAuth client',
  'client.disable': 'disabled an OAuth client',
  'client.enable': 'enabled an OAuth client',
  'client.send_iss': 'started sending the issuer (iss) for an OAuth client',
  'client.omit_iss': 'stopped sending the issuer (iss) for an OAuth client',
  'client.delete': 'deleted an OAuth client',
  'client.redirect_uris': 'changed the redirect URIs of an OAuth client',
  'key.created': 'created an API key',
  'key.rotated': 'rotated an API key',
  'key.revoked': 'revoked an API key',
  'endpoint.created': 'added a webhook endpoint',
  'endpoint.changed': 'changed a webhook endpoint',
  'endpoint.disabled': 'disabled a webhook endpoint',
  'endpoint.enabled': 'enabled a webhook endpoint',
  'endpoint.deleted': 'deleted a webhook endpoint',
  'endpoint.secret_shown': 'showed the secret of a webhook endpoint',
  'endpoint.secret_rotated': 'rotated the secret of a webhook endpoint',
  'endpoint.tested': 'sent a test event to a webhook endpoint',
  'endpoint.example_sent': 'sent an example event to a webhook endpoint',
  'grant.made': 'granted access',
  'grant.withdrawn': 'revoked access',
  'refund.requested': 'requested a refund',
  'delivery.retried': 'retried a delivery',
  'delivery.sent_again': 'sent a delivery again',
  'delivery.retried_now': 'retried a delivery before its time',
  'delivery.recovered': 'recovered deliveries',
  'builder.requested': 'requested verification',
  'builder.verified': 'verified a builder',
  'builder.declined': 'declined a verification request',
  'builder.withdrawn': 'revoked the verification of a builder',
  'alert.resolved': 'resolved an alert',
  'event.retried': 'tried an unprocessed event again',
  'event.set_aside': 'set an unprocessed event aside',
  'message.sent_again': 'ran a failed job again',
  'operator.created': 'created an operator account',
  'operator.promoted': 'made a person an operator',
  'operator.recovered': 'reset the sign-in of an operator',
  'operator.removed': 'removed an operator',
  'secrets.resealed': 'sealed the secrets with another key',
  'product.created': 'created a product',
  'product.changed': 'changed the listing of a product',
  'product.slug_changed': 'changed the slug of a product',
  'product.listed': 'listed a product',
  'product.unlisted': 'unlisted a product',
  'product.included': 'included a product with Member',
  'product.excluded': 'removed a product from Member',
  'product.removed': 'removed a product',
  'product.operator_set': 'became seller of record',
  'product.operator_unset': 'removed the seller of record',
  'seal.appealed': 'appealed against the review of the quality seal',
  'seal.restored': 'restored the quality seal until its next review',
  'seal.appeal_declined': 'declined an appeal about the quality seal',
  'price.set': 'set a price',
  'price.made_base': 'made a price the base price',
  'price.withdrawn': 'removed a price',
  'payouts.connected': 'connected a payout account',
  'payouts.refreshed': 'refreshed the payout status',
  'payouts.confirmed': 'confirmed the first payout of the creator pool',
  'payouts.retried_now': 'retried a payout of the creator pool before its time',
  'payouts.found_paid': 'recorded a payout of the creator pool as paid',
  'payouts.found_not_paid': 'recorded a payout of the creator pool as not paid',
  'currency.enabled': 'enabled a currency',
  'currency.disabled': 'disabled a currency',
  'member_price.set': 'set a Member price',
  'member_price.withdrawn': 'removed a Member price',
  'fee.set': 'set the platform fee',
  'product.handed_over': 'transferred a product to a team',
  'product.received': 'received a product',
  'pool.approved': 'approved a month of the creator pool',
  'pool.previewed': 'asked for a preview of the creator pool',
  'pool.held': 'held a product in the creator pool',
  'pool.released': 'released a product in the creator pool',
  'pool.excluded': 'excluded evidence from the creator pool',
  'pool.setting_set': 'changed the settings of the creator pool',
  'team.founded': 'created the team',
  'team.renamed': 'renamed the team',
  'team.deleted': 'deleted the team',
  'member.joined': 'joined the team',
  'member.role_changed': 'changed a role',
  'member.removed': 'removed a member',
  'member.left': 'left the team',
  'invitation.sent': 'sent an invitation',
  'invitation.withdrawn': 'revoked an invitation',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** The action in words, or its name where it has none. */
export function describeAction(action: string): string {
  return isAction(action) ? AUDIT_ACTIONS[action] : action;
}

function isAction(action: string): action is AuditAction {
  return Object.hasOwn(AUDIT_ACTIONS, action);
}

/** Where an action came from that names no person. */
export function describeOrigin({ via }: { via?: unknown }): string {
  return typeof via === 'string' ? via : 'Command line';
}
