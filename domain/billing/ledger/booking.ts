// The ledger entries of each event of a payment, in minor units of its currency.

/** `pool` is what the platform owes to products of Member, `unattributed` what no product gets. */
export const ACCOUNTS = ['buyer', 'seller', 'platform', 'pool', 'unattributed'] as const;
/** How money goes back to the buyer; reversals and won disputes bring it back from there. */
const RETURN_KINDS = ['refund', 'reversal', 'chargeback'] as const;
export const ENTRY_KINDS = [
  'gross',
  'cut',
  ...RETURN_KINDS,
  'cut_returned',
  'loss',
  'dispute_fee',
  'pool_share',
  'pool_unattributed',
  'pool_payout',
] as const;

type Account = (typeof ACCOUNTS)[number];
export type ReturnKind = (typeof RETURN_KINDS)[number];
export type EntryKind = (typeof ENTRY_KINDS)[number];
export type Entry = { account: Account; kind: EntryKind; amountMinor: number };

export type ReceivedPayment = {
  grossMinor: number;
  cutMinor: number;
  /** Set for Member, whose money is the platform's; all other money is the seller's. */
  membershipId?: string | null;
};

/** A payment's returned amounts in the ledger: returned by the seller, lost by the platform. */
export type BookedReturn = { returnedMinor: number; lostMinor: number; cutReturnedMinor: number };

type Move = { kind: EntryKind; from: Account; to: Account; amountMinor: number };

/** A payment cleared: the gross is the seller's, less the platform's cut. */
export function bookClearing(payment: ReceivedPayment): Entry[] {
  const { grossMinor, cutMinor } = payment;
  return toEntries([
    { kind: 'gross', from: 'buyer', to: receiverOf(payment), amountMinor: grossMinor },
    { kind: 'cut', from: 'seller', to: 'platform', amountMinor: cutMinor },
  ]);
}

function receiverOf({ membershipId = null }: ReceivedPayment): Account {
  return membershipId === null ? 'seller' : 'platform';
}

/**
 * Books money that went back to the buyer, or (negative) that came back from there. The seller
 * returns at most the gross, and the platform loses the excess. The cut is returned in proportion,
 * rounded down over all returns so far.
 */
export function bookReturn(
  payment: ReceivedPayment,
  {
    returned,
    kind,
    changeMinor,
  }: { returned: BookedReturn; kind: ReturnKind; changeMinor: number },
): { entries: Entry[]; after: BookedReturn } {
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
 * The seller bears the dispute's fee, which the platform has paid. The booking is negative when the
 * processor gives some of it back.
 */
export function bookDisputeFee({
  bookedMinor,
  feeMinor,
}: Record<'bookedMinor' | 'feeMinor', number>) {
  const amountMinor = feeMinor - bookedMinor;
  return toEntries([{ kind: 'dispute_fee', from: 'seller', to: 'platform', amountMinor }]);
}

/** What a month gives to a product's owner; negative where corrections take more back. */
export function bookPoolShare(amountMinor: number): Entry[] {
  return toEntries([{ kind: 'pool_share', from: 'platform', to: 'pool', amountMinor }]);
}

/** The pots of Members without a qualified day: the platform keeps them, apart. */
export function bookUnattributed(amountMinor: number): Entry[] {
  return toEntries([
    { kind: 'pool_unattributed', from: 'platform', to: 'unattributed', amountMinor },
  ]);
}

/** A transfer of the pool that the processor has made. */
export function bookPoolPayout(amountMinor: number): Entry[] {
  return toEntries([{ kind: 'pool_payout', from: 'pool', to: 'seller', amountMinor }]);
}

/** What has gone back of a payment after returns of so much in all. */
export function returnedAfter(payment: ReceivedPayment, totalMinor: number): BookedReturn {
  const returnedMinor = Math.min(totalMinor, payment.grossMinor);
  return {
    returnedMinor,
    lostMinor: totalMinor - returnedMinor,
    cutReturnedMinor: cutReturnedMinor(payment, returnedMinor),
  };
}

/** floor(cut x returned so far / gross), in minor units. */
function cutReturnedMinor(
  { grossMinor, cutMinor }: Pick<ReceivedPayment, 'grossMinor' | 'cutMinor'>,
  returnedMinor: number,
): number {
  return Number((BigInt(cutMinor) * BigInt(returnedMinor)) / BigInt(grossMinor));
}

/** Two entries for each move, so that every booking sums to zero. */
function toEntries(moves: Move[]): Entry[] {
  return moves
    .filter(({ amountMinor }) => amountMinor !== 0)
    .flatMap(({ kind, from, to, amountMinor }) => [
      { account: from, kind, amountMinor: -amountMinor },
      { account: to, kind, amountMinor },
    ]);
}
