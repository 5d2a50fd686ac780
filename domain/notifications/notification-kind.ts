/** A closed list; the page of notifications has a text for each kind. */
export type NotificationKind =
  | 'endpoint_failing'
  | 'endpoint_disabled'
  | 'sale_made'
  | 'refund_made'
  | 'dispute_opened'
  | 'seal_earned'
  | 'seal_noticed'
  | 'seal_lost';
