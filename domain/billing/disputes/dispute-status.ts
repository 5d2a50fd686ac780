// The statuses of a dispute: only a lost dispute withdraws access.

export const DISPUTE_STATUSES = ['warning', 'open', 'won', 'lost', 'closed'] as const;

export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

// Steps between two readings may be skipped, and no dispute opens again.
const AHEAD: Record<DisputeStatus, readonly DisputeStatus[]> = {
  warning: ['open', 'closed', 'won', 'lost'],
  open: ['won', 'lost'],
  won: ['lost'],
  lost: ['won'],
  closed: [],
};

/** The status that a reading leads to, or null when nothing changes. */
export function decideDispute(
  current: DisputeStatus | null,
  read: DisputeStatus,
): DisputeStatus | null {
  return current === null || AHEAD[current].includes(read) ? read : null;
}

/** True until the bank has decided. */
export function isDisputeOpen(status: DisputeStatus): boolean {
  return status === 'warning' || status === 'open';
}
