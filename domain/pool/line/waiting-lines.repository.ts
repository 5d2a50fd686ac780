import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

/**
 * Whether a settlement would pay what an earlier one left: a hold was released, an owner confirmed,
 * an account connected, or a transfer failed. What is below the minimum waits for more.
 */
export async function hasPayableLines(em: EntityManager, currency: string): Promise<boolean> {
  const [line] = await kysely(em)
    .selectFrom('poolLine as line')
    .innerJoin('payoutAccount as account', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('account.teamId', '=', ref('line.teamId')),
          eb('account.personId', '=', ref('line.personId')),
        ]),
      ),
    )
    .select('line.id')
    .where('line.currency', '=', currency)
    .where('line.payoutId', 'is', null)
    .where('line.status', 'in', ['held', 'no_account', 'failed'])
    .where('line.amountMinor', '>', 0)
    .where('account.canCharge', '=', true)
    .where('account.poolConfirmedAt', 'is not', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('poolHold as hold')
            .select('hold.id')
            .whereRef('hold.productId', '=', 'line.productId')
            .where('hold.releasedAt', 'is', null),
        ),
      ),
    )
    .limit(1)
    .execute();
  return line !== undefined;
}
