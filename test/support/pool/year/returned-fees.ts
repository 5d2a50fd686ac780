import { applyReturns } from '../../../../domain/billing/memberships/membership-money.repository.ts';
import type { Returns } from '../../../../domain/billing/memberships/membership-money.repository.ts';
import { now, type Database } from '../../../../platform/database/database.ts';
import type { TestDatabase } from '../../engines/database.ts';

type Parts = { testDatabase: TestDatabase; database: Database };
type Part = { amountMinor: number };

/** Money of Member that goes back, as its workflow books what it has read of the processor. */
export function createReturnedFees({ testDatabase: { query }, database }: Parts) {
  let sequence = 0;

  async function book(
    paymentId: string,
    describe: (named: { processorId: string; currency: string }) => Returns,
  ): Promise<void> {
    sequence += 1;
    const [row] = await query<{ membershipId: string; currency: string }>(
      `select membership_id as "membershipId", currency from payment where id = $1`,
      [paymentId],
    );
    const { membershipId, currency } = row!;
    const returns = describe({ processorId: `${paymentId}_${sequence}`, currency });
    await database.transaction(async (em) => {
      const said = { membershipId, sequence, returns, at: await now(em) };
      await applyReturns(em, { periodStart: null }, said);
    });
  }

  return {
    refund: (paymentId: string, { amountMinor }: Part) =>
      book(paymentId, ({ processorId }) => {
        const of = { paymentId, processorId, refundId: null };
        const refund = { ...of, status: 'succeeded' as const, amountMinor, failure: null };
        return { refunds: [refund], disputes: [] };
      }),

    loseDispute: (paymentId: string, { amountMinor }: Part) =>
      book(paymentId, (named) => {
        const of = { ...named, reason: 'fraudulent', dueAt: null, fees: [] };
        const reading = { ...of, status: 'lost' as const, amountMinor };
        return { refunds: [], disputes: [{ paymentId, reading }] };
      }),
  };
}
