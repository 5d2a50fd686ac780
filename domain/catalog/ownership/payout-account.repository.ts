import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import type { ProductView } from '../product.repository.ts';

/** The receiver of the money: the person or the team that owns the product. */
export type Seller = Pick<ProductView, 'ownerPersonId' | 'ownerTeamId'>;

export type PayoutAccountView = {
  account: string;
  canCharge: boolean;
  isSubmitted: boolean;
  createdAt: Date;
  checkedAt: Date | null;
};

/** The status as the processor reports it. */
export type PayoutStatus = { canCharge: boolean; isSubmitted: boolean };

export async function findPayoutAccount(
  em: EntityManager,
  { ownerPersonId, ownerTeamId }: Seller,
): Promise<PayoutAccountView | null> {
  const found = await kysely(em)
    .selectFrom('payoutAccount')
    .select(['processorAccount as account', 'canCharge', 'isSubmitted', 'createdAt', 'checkedAt'])
    .where(({ eb, or }) => or([eb('personId', '=', ownerPersonId), eb('teamId', '=', ownerTeamId)]))
    .executeTakeFirst();
  return found ?? null;
}

/** A seller has one account; false when another request was first. */
export async function addPayoutAccount(
  em: EntityManager,
  { seller, account, canCharge, isSubmitted }: PayoutStatus & { seller: Seller; account: string },
): Promise<boolean> {
  const added = await kysely(em)
    .insertInto('payoutAccount')
    .values({
      id: newUuid(),
      personId: seller.ownerPersonId,
      teamId: seller.ownerTeamId,
      processorAccount: account,
      canCharge,
      isSubmitted,
      checkedAt: NOW,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return added.numInsertedOrUpdatedRows === 1n;
}

/** A response to an earlier question never overwrites the response to a later one. */
export async function recordPayoutStatus(
  em: EntityManager,
  { account, askedAt, canCharge, isSubmitted }: PayoutStatus & { account: string; askedAt: Date },
): Promise<{ couldCharge: boolean } | null> {
  const before = await kysely(em)
    .selectFrom('payoutAccount')
    .select(['id', 'canCharge'])
    .where('processorAccount', '=', account)
    .where(({ eb, or }) => or([eb('checkedAt', 'is', null), eb('checkedAt', '<=', askedAt)]))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!before) return null;
  await kysely(em)
    .updateTable('payoutAccount')
    .set({ canCharge, isSubmitted, checkedAt: askedAt })
    .where('id', '=', before.id)
    .execute();
  return { couldCharge: before.canCharge };
}
