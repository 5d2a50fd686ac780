/** The closed list of alerts, with the sentence that operators read. */
export const ALERT_KINDS = {
  processor_state:
    'The payment processor reported something that this version does not understand.',
  event_dead_lettered: 'A payment event could not be processed.',
  amount_differs: 'A payment or refund differs from its order in amount or currency.',
  no_order:
    'A payment arrived for a deleted account or a removed product. We refund it automatically.',
  clearing_stuck: 'A payment has been processing for two weeks.',
  purchase_unresolved: 'The payment processor does not report how a purchase ended.',
  refund_failed: 'The payment processor refused a refund, or the refund failed days later.',
  money_lost: 'More money went back to a buyer than the buyer paid.',
  change_refused:
    'The payment processor refused to cancel or resume a subscription or a membership.',
  payouts_unmoved:
    "The payment processor refused to move a subscription's payouts to the product's new owner.",
  member_unserved:
    'A late payment arrived for an ended membership, but the member already pays for a new one.',
  pool_payout_failed: 'A payout of the creator pool failed.',
  pool_transfer_unexpected: 'A transfer of the creator pool does not fit its payout.',
  reference_broken: 'Rows refer to rows that are missing.',
  months_missing: 'The tables of next month are missing.',
  ledger_unbalanced: 'The ledger does not add up to zero.',
  pool_stopped: 'A month of the creator pool does not go on, and nothing of it is paid.',
  message_dead_lettered: 'A background job failed ten times.',
  work_overdue: 'Workflows of one type are overdue, and waking them has not helped.',
  workflow_failing: 'Workflows of one type fail again and again.',
} as const;

export type AlertKind = keyof typeof ALERT_KINDS;

export const ALERT_NAMES = Object.keys(ALERT_KINDS) as AlertKind[];
