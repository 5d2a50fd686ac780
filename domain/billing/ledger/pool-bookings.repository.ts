// What the ledger says of the creator pool. Each belongs in the transaction of the change.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { bookPoolPayout, bookPoolShare, bookUnattributed, type Entry } from './booking.ts';

type PoolBooking = {
  /** Names what happened; the unique key books it once. */
  name: string;
  periodId: string;
  /** The team or the lone builder; null for what no product gets. */
  ownerId: string | null;
  currency: string;
  entries: Entry[];
};

type Of = { periodId: string; currency: string };
type OwnerShare = { ownerId: string; amountMinor: number };

/** What a period gives to the owners of products, as one booking for each owner. */
export async function recordPoolShares(
  em: EntityManager,
  { periodId, currency }: Of,
  shares: readonly OwnerShare[],
): Promise<void> {
  const bookings = shares.map(({ ownerId, amountMinor }) => ({
    name: `pool:${periodId}:${ownerId}`,
    periodId,
    ownerId,
    currency,
    entries: bookPoolShare(amountMinor),
  }));
  await bookAll(em, bookings);
}

export async function recordUnattributed(
  em: EntityManager,
  { periodId, currency, amountMinor }: Of & { amountMinor: number },
): Promise<void> {
  const name = `pool:${periodId}:unattributed`;
  const entries = bookUnattributed(amountMinor);
  await bookAll(em, [{ name, periodId, ownerId: null, currency, entries }]);
}

export async function recordPoolPayout(
  em: EntityManager,
  payout: Of & OwnerShare & { payoutId: string },
): Promise<void> {
  const { payoutId, periodId, ownerId, currency, amountMinor } = payout;
  const entries = bookPoolPayout(amountMinor);
  await bookAll(em, [{ name: `${payoutId}:paid`, periodId, ownerId, currency, entries }]);
}

const AT_ONCE = 1_000;

async function bookAll(em: EntityManager, bookings: readonly PoolBooking[]): Promise<void> {
  const values = bookings.flatMap(({ name, periodId, ownerId, currency, entries }) =>
    entries.map((entry) => ({
      ...entry,
      booking: name,
      poolPeriodId: periodId,
      poolOwnerId: ownerId,
      currency,
    })),
  );
  for (let from = 0; from < values.length; from += AT_ONCE) {
    await kysely(em)
      .insertInto('ledgerEntry')
      .values(values.slice(from, from + AT_ONCE))
      .execute();
  }
}
