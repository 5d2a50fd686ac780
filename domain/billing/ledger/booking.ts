// What each event of a payment moves from whom to whom, in minor units of its currency.

export const ACCOUNTS = ['buyer', 'seller', 'platform'] as const;
/** How money goes back to the buyer; reversals and disputes won bring it back from there. */
const RETURN_KINDS = ['refund', 'reversal', 'chargeback'] as const;
export const ENTRY_KINDS = [
  'gross',
  'cut',
  ...RETURN_KINDS,
  'cut_returned',
  'loss',
  'dispute_fee',
] as const;

type Account = (typeof ACCOUNTS)[number];
export type ReturnKind = (typeof RETURN_KINDS)[number];
export type EntryKind = (typeof ENTRY_KINDS)[number];
export type Entry = { account: Account; kind: EntryKind; amountMinor: number };

export type Received = {
  grossMinor: number;
  cutMinor: number;
  /** Of Member, whose money is the platform's own; all other is its product's seller's. */
  membershipId?: string | null;
};

/** What the ledger says of a payment: returned by the seller, paid by the platform on top of it. */
export type Returned = { returnedMinor: number; lostMinor: number; cutReturnedMinor: number };

type Move = { kind: EntryKind; from: Account; to: Account; amountMinor: number };

/** A payment has cleared: the gross is the seller's, less the platform's cut. */
export function bookClearing(payment: Received): Entry[] {
  const { grossMinor, cutMinor } = payment;
  return toEntries([
    { kind: 'gross', from: 'buyer', to: receiverOf(payment), amountMinor: grossMinor },
    { kind: 'cut', from: 'seller', to: 'platform', amountMinor: cutMinor },
  ]);
}

function receiverOf({ membershipId = null }: Received): Account {
  return membershipId === null ? 'seller' : 'platform';
}

/**
 * Money went back to the buyer, or (negative) came back from there. The seller returns no more than
 * the gross, an excess is the platform's loss; of the cut as much is returned as of the gross,
 * rounded down over all that was returned so far.
 */
export function bookReturn(
  payment: Received,
  { returned, kind, changeMinor }: { returned: Returned; kind: ReturnKind; changeMinor: number },
): { entries: Entry[]; after: Returned } {
  const after = returnedAfter(payment, returned.returnedMinor + returned.lostMinor + changeMinor);
  const entries = toEntries([
    {
      kind,
      from: receiverOf(payment),
      to: 'buyer',
      amountMinor: after.returnedMinor - returned.returnedMinor,
    },
    {
      kind: 'cut_returned',
      from: 'platform',
      to: 'seller',
      amountMinor: after.cutReturnedMinor - returned.cutReturnedMinor,
    },
    {
      kind: 'loss',
      from: 'platform',
      to: 'buyer',
      amountMinor: after.lostMinor - returned.lostMinor,
    },
  ]);
  return { entries, after };
}

/**
 * What the processor takes for a dispute: the platform has paid it and the seller bears it. Less
 * than was booked before where the processor gives some of it back.
 */
export function bookDisputeFee({
  bookedMinor,
  feeMinor,
}: Record<'bookedMinor' | 'feeMinor', number>) {
  const amountMinor = feeMinor - bookedMinor;
  return toEntries([{ kind: 'dispute_fee', from: 'seller', to: 'platform', amountMinor }]);
}

function returnedAfter(payment: Received, totalMinor: number): Returned {
  const returnedMinor = Math.min(totalMinor, payment.grossMinor);
  return {
    returnedMinor,
    lostMinor: totalMinor - returnedMinor,
    cutReturnedMinor: cutReturnedMinor(payment, returnedMinor),
  };
}

/** floor(cut x returned so far / gross), in minor units. */
function cutReturnedMinor({ grossMinor, cutMinor }: Received, returnedMinor: number) {
  return Number((BigInt(cutMinor) * BigInt(returnedMinor)) / BigInt(grossMinor));
}

/** Two entries a move, so that whatever is booked sums to zero; nothing for what moves nothing. */
function toEntries(moves: Move[]): Entry[] {
  return moves
    .filter(({ amountMinor }) => amountMinor !== 0)
    .flatMap(({ kind, from, to, amountMinor }) => [
      { account: from, kind, amountMinor: -amountMinor },
      { account: to, kind, amountMinor },
    ]);
}
