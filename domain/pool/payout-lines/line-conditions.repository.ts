// Conditions that several statements about lines of the pool share.
import { expressionBuilder, sql, type Expression } from 'kysely';
import type { Tables } from '../../kysely.ts';

const { exists, selectFrom } = expressionBuilder<Tables>();

/** Holds that no operator has released: a product has one at most. */
export const openHolds = selectFrom('poolHold')
  .select(['id', 'productId', 'reason', 'heldAt', 'heldBy'])
  .where('releasedAt', 'is', null);

/** An operator holds the lines of the product that the column names. */
export const hasOpenHold = (productId: string) =>
  exists(openHolds.where('poolHold.productId', '=', sql.ref<string>(productId)));

/**
 * A condition on `payoutAccount`: the current account of the owner, who is a team or a lone
 * builder.
 */
export function accountOfOwner(
  teamId: string | Expression<string>,
  personId: string | Expression<string> = teamId,
) {
  const { and, eb, or } = expressionBuilder<Tables, 'payoutAccount'>();
  return and([
    eb('payoutAccount.replacedAt', 'is', null),
    or([eb('payoutAccount.teamId', '=', teamId), eb('payoutAccount.personId', '=', personId)]),
  ]);
}

/**
 * A condition on `payoutAccount`: the current account of the owner whom the lines of a table name.
 */
export const accountOfLine = (line: string) =>
  accountOfOwner(sql.ref<string>(`${line}.teamId`), sql.ref<string>(`${line}.personId`));
