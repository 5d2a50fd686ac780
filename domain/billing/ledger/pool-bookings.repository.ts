// What the ledger says of the creator pool. Each belongs in the transaction of the change.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { bookPoolPayout, bookPoolShare, bookUnattributed, type Entry } from './booking.ts';

type Period = { periodId: string; currency: string };
type OwnerShare = { ownerId: string; amountMinor: number };

/** What a period gives to the owners of products, as one booking for each owner. */
export async function recordPoolShares(
  em: EntityManager,
  period: Period,
  shares: readonly OwnerShare[],
): Promise<void> {
  const bookings = shares.map(({ ownerId, amountMinor }) => {
    const name = `pool:${period.periodId}:${ownerId}`;
    return { name, ownerId, entries: bookPoolShare(amountMinor) };
  });
  await book(em, period, bookings);
}

export async function recordUnattributed(
  em: EntityManager,
  { amountMinor, ...period }: Period & { amountMinor: number },
): Promise<void> {
  const name = `pool:${period.periodId}:unattributed`;
  await book(em, period, [{ name, ownerId: null, entries: bookUnattributed(amountMinor) }]);
}

export async function recordPoolPayout(
  em: EntityManager,
  { payoutId, ownerId, amountMinor, ...period }: Period & OwnerShare & { payoutId: string },
): Promise<void> {
  const entries = bookPoolPayout(amountMinor);
  await book(em, period, [{ name: `${payoutId}:paid`, ownerId, entries }]);
}

type PoolBooking = {
  /** Names what happened; the unique key books it once. */
  name: string;
  /** The team or the lone builder; null for what no product gets. */
  ownerId: string | null;
  entries: Entry[];
};

const AT_ONCE = 1_000;

async function book(
  em: EntityManager,
  { periodId: poolPeriodId, currency }: Period,
  bookings: readonly PoolBooking[],
): Promise<void> {
  const values = bookings.flatMap(({ name: booking, ownerId: poolOwnerId, entries }) =>
    entries.map((entry) => ({ ...entry, booking, poolPeriodId, poolOwnerId, currency })),
  );
  for (let from = 0; from < values.length; from += AT_ONCE) {
    await kysely(em)
      .insertInto('ledgerEntry')
      .values(values.slice(from, from + AT_ONCE))
      .execute();
  }
}
