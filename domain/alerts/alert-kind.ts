/** A closed list of what needs an operator, one sentence for each. */
export const ALERT_KINDS = {
  processor_state: 'The payment processor said something that this version does not understand.',
  event_parked: 'An event of the payment processor could not be followed.',
  amount_differs: 'Money came or went in another amount or currency than was agreed.',
  no_order:
    'Money came for a deleted account or a removed product. It goes back to the buyer by itself.',
  clearing_stuck: 'A payment has been clearing for two weeks.',
  purchase_unresolved:
    'The processor does not say how a purchase ended, however often it is asked.',
  refund_failed: 'A refund was refused by the payment processor, or came back days later.',
  money_lost: 'More went back to a buyer than was ever paid.',
  payouts_unmoved:
    'The processor refused to pay a running subscription out to the new owner of its product.',
  member_unserved:
    'Money that had ended a membership is here again; its person pays for another one.',
  ledger_unbalanced: 'The ledger does not sum to zero.',
  message_parked: 'Temporal refused a message ten times.',
  work_overdue:
    'Work that a workflow should have done is overdue, and messages to it have not helped.',
  workflow_failing: 'Workflows of a type cannot go on: their tasks fail again and again.',
} as const;

export type AlertKind = keyof typeof ALERT_KINDS;

export const ALERT_NAMES = Object.keys(ALERT_KINDS) as AlertKind[];
