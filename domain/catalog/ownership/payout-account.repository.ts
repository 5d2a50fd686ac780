import { rows, type EntityManager } from '../../../platform/database/database.ts';
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
  const [found] = await rows<PayoutAccountView>(
    em,
    `select processor_account as account, can_charge as "canCharge", is_submitted as "isSubmitted",
       created_at as "createdAt", checked_at as "checkedAt"
     from payout_account where person_id = ? or team_id = ?`,
    [ownerPersonId, ownerTeamId],
  );
  if (!found) return null;
  const { createdAt, checkedAt } = found;
  return {
    ...found,
    createdAt: new Date(createdAt),
    checkedAt: checkedAt === null ? null : new Date(checkedAt),
  };
}

/** A seller has one account; false when another request was first. */
export async function addPayoutAccount(
  em: EntityManager,
  { seller, account, ...status }: PayoutStatus & { seller: Seller; account: string },
): Promise<boolean> {
  const added = await rows(
    em,
    `insert into payout_account
       (id, person_id, team_id, processor_account, can_charge, is_submitted, checked_at)
     values (?, ?, ?, ?, ?, ?, gatehouse_now()) on conflict do nothing returning 1`,
    [
      newUuid(),
      seller.ownerPersonId,
      seller.ownerTeamId,
      account,
      status.canCharge,
      status.isSubmitted,
    ],
  );
  return added.length === 1;
}

/** A response to an earlier question never overwrites the response to a later one. */
export async function recordPayoutStatus(
  em: EntityManager,
  { account, askedAt, ...status }: PayoutStatus & { account: string; askedAt: Date },
): Promise<{ couldCharge: boolean } | null> {
  const [recorded] = await rows<{ couldCharge: boolean }>(
    em,
    `update payout_account set can_charge = ?, is_submitted = ?, checked_at = ?
     where processor_account = ? and (checked_at is null or checked_at <= ?)
     returning old.can_charge as "couldCharge"`,
    [status.canCharge, status.isSubmitted, askedAt, account, askedAt],
  );
  return recorded ?? null;
}
