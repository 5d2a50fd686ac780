// How a dispute moves: a warning flags, an open one too, only a lost one takes access.

export const DISPUTE_STATUSES = ['warning', 'open', 'won', 'lost', 'closed'] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

// What may have happened between two readings is passed over; nothing goes back to be open.
const AHEAD: Record<DisputeStatus, readonly DisputeStatus[]> = {
  warning: ['open', 'closed', 'won', 'lost'],
  open: ['won', 'lost'],
  won: ['lost'],
  lost: ['won'],
  closed: [],
};

/** The status that a reading leads to, or null where it changes nothing. */
export function decideDispute(
  current: DisputeStatus | null,
  read: DisputeStatus,
): DisputeStatus | null {
  return current === null || AHEAD[current].includes(read) ? read : null;
}

/** True while the bank has still to decide. */
export function isDisputeOpen(status: DisputeStatus): boolean {
  return status === 'warning' || status === 'open';
}
