/** What the money of a line waits for, as its product's owner reads it. */
export type LineState =
  | 'in_review'
  | 'payable'
  | 'under_review'
  | 'unconfirmed'
  | 'released'
  | 'below_minimum'
  | 'no_account'
  | 'paying'
  | 'paid'
  | 'failed';

/** Statuses of a period whose amounts are shown and whose lines may be paid. */
export const APPROVED = ['approved', 'paying', 'paid'] as const;

export function isApprovedStatus(status: string): boolean {
  return APPROVED.some((approved) => approved === status);
}

type LineFacts = {
  /** The period is approved. */
  isApproved: boolean;
  status: 'held' | Exclude<LineState, 'in_review' | 'under_review' | 'unconfirmed' | 'released'>;
  /** An operator holds the lines of the product. */
  hasHold: boolean;
  /** An operator has confirmed the owner's first payout. */
  isConfirmed: boolean;
};

/** A held line waits for the end of a review, or for the first yes; after that for the next period. */
export function decideLineState({
  isApproved,
  status,
  hasHold,
  isConfirmed,
}: LineFacts): LineState {
  if (!isApproved) return 'in_review';
  if (status !== 'held') return status;
  if (hasHold) return 'under_review';
  return isConfirmed ? 'released' : 'unconfirmed';
}
