/** A line of a statement, or of a correction; a held line is of a product under review. */
export type OwnerLine = { amountMinor: bigint; isHeld: boolean };

export type LineStatus = 'payable' | 'held' | 'below_minimum' | 'no_account';

type OwnerFacts = {
  /** What earlier periods left unpaid; below zero where the owner owes it. */
  carriedMinor: bigint;
  /** The lines of this period, and lines that were held before. */
  lines: readonly OwnerLine[];
  minimumMinor: bigint;
  canReceive: boolean;
  /** An operator has confirmed the owner's first payout. */
  isConfirmed: boolean;
};

export type OwnerSettlement = {
  payoutMinor: bigint;
  /** The amount that is left for a later period. */
  carriedMinor: bigint;
  /** Waits for the end of the review. */
  heldMinor: bigint;
  /** Stand in the order of the lines. */
  statuses: LineStatus[];
};

/**
 * What an owner gets of a period in one currency: a debt is worked off first, and what is not paid now
 * is carried over. A review holds what a product would get; what it owes counts at once.
 */
export function decideSettlement(facts: OwnerFacts): OwnerSettlement {
  const { carriedMinor, lines } = facts;
  const isWaiting = ({ amountMinor, isHeld }: OwnerLine) => isHeld && amountMinor > 0n;
  const sumOf = (some: readonly OwnerLine[]) =>
    some.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const dueMinor = carriedMinor + sumOf(lines.filter((line) => !isWaiting(line)));
  const status = decideStatus(dueMinor, facts);
  const isPaid = status === 'payable';
  return {
    payoutMinor: isPaid ? dueMinor : 0n,
    carriedMinor: isPaid ? 0n : dueMinor,
    heldMinor: sumOf(lines.filter(isWaiting)),
    statuses: lines.map((line) => (isWaiting(line) ? 'held' : status)),
  };
}

function decideStatus(
  dueMinor: bigint,
  { minimumMinor, canReceive, isConfirmed }: OwnerFacts,
): LineStatus {
  if (dueMinor <= 0n || dueMinor < minimumMinor) return 'below_minimum';
  if (!canReceive) return 'no_account';
  return isConfirmed ? 'payable' : 'held';
}
