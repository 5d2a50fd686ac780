// What arrives while a period of the pool stands in a state that its workflow leaves by itself.
import type { Activities } from '../../../../activities/index.ts';
import type { TestDatabase } from '../../engines/database.ts';

export type Arrived = { periodId: string; status: string };

type Parts = { testDatabase: TestDatabase; real: Activities };

/**
 * The real steps, each of which waits for what arrives before it: once for each period and state,
 * however often the step is made.
 */
export function createArrivals(arrive: (arrived: Arrived) => Promise<void>) {
  const begun = new Map<string, Promise<void>>();

  function once(arrived: Arrived): Promise<void> {
    const name = `${arrived.periodId} ${arrived.status}`;
    const arriving = begun.get(name) ?? arrive(arrived);
    begun.set(name, arriving);
    return arriving;
  }

  return ({ testDatabase: { query }, real }: Parts): Partial<Activities> => {
    async function before(periodId: string): Promise<void> {
      const [row] = await query<Arrived>(
        `select id as "periodId", status from pool_period where id = $1`,
        [periodId],
      );
      await once(row!);
    }
    return {
      async computePool(input) {
        await before(input.periodId);
        return real.computePool(input);
      },
      async reviewPool(input) {
        await before(input.periodId);
        return real.reviewPool(input);
      },
      async startPoolPayouts(input) {
        await before(input.periodId);
        return real.startPoolPayouts(input);
      },
      async sendPoolPayout(input) {
        const [payout] = await query<{ periodId: string }>(
          `select period_id as "periodId" from pool_payout where id = $1`,
          [input.payoutId],
        );
        await before(payout!.periodId);
        return real.sendPoolPayout(input);
      },
    };
  };
}
