import type { NotNull } from 'kysely';
import { LOCK, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { newUuid } from '../../shared/ids.ts';
import { isNewsOfPayouts, type PayoutReading } from './payout-failure.ts';
import { PayoutAccount } from '../product.entity.ts';
import type { ProductView } from '../product.repository.ts';

/** The receiver of the money: the person or the team that owns the product. */
export type Seller = Pick<ProductView, 'ownerPersonId' | 'ownerTeamId'>;

/** The status as the processor reports it. */
export type PayoutStatus = { canCharge: boolean; isSubmitted: boolean };

const currentAccounts = (em: EntityManager) =>
  kysely(em)
    .selectFrom('payoutAccount')
    .select(['processorAccount as account', 'canCharge', 'isSubmitted', 'createdAt', 'checkedAt'])
    .select(['payoutSeenAt', 'failedPayoutMinor', 'failedPayoutCurrency', 'failedPayoutReason'])
    .where('replacedAt', 'is', null);

/** Finds the seller's current account, with its latest payout where that failed. */
export async function findPayoutAccount(em: EntityManager, { ownerPersonId, ownerTeamId }: Seller) {
  const found = await currentAccounts(em)
    .where(({ eb, or }) => or([eb('personId', '=', ownerPersonId), eb('teamId', '=', ownerTeamId)]))
    .executeTakeFirst();
  return found ? toView(found) : null;
}

/** The current accounts of a person and of teams, by the owner's id. Each arm walks its index. */
export async function listPayoutAccounts(
  em: EntityManager,
  { personId, teamIds }: { personId: string | null; teamIds: readonly string[] },
): Promise<Map<string, PayoutAccountView>> {
  const found = await currentAccounts(em)
    .select('personId as ownerId')
    .where('personId', '=', personId)
    .unionAll(currentAccounts(em).select('teamId as ownerId').where('teamId', '=', anyOf(teamIds)))
    .execute();
  return new Map(found.map(({ ownerId, ...account }) => [ownerId!, toView(account)]));
}

type AccountRow = Awaited<ReturnType<ReturnType<typeof currentAccounts>['execute']>>[number];

function toView(found: AccountRow) {
  const { payoutSeenAt: madeAt, failedPayoutMinor: amountMinor, ...account } = found;
  const { failedPayoutCurrency: currency, failedPayoutReason: reason, ...shown } = account;
  const isFailed = madeAt !== null && amountMinor !== null && currency !== null && reason !== null;
  return { ...shown, failedPayout: isFailed ? { amountMinor, currency, reason, madeAt } : null };
}

export type PayoutAccountView = ReturnType<typeof toView>;

/** A seller has one current account; false when another request was first. */
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

/** A current account; it stays current until the transaction ends. Null for any other. */
export async function lockPayoutAccount(em: EntityManager, account: string) {
  return em.findOne(PayoutAccount, { processorAccount: account, replacedAt: null }, LOCK);
}

/**
 * A response to an earlier question never overwrites the response to a later one. Of a replaced
 * account nothing is recorded.
 */
export async function recordPayoutStatus(
  em: EntityManager,
  { account, askedAt, canCharge, isSubmitted }: PayoutStatus & { account: string; askedAt: Date },
): Promise<{ couldCharge: boolean } | null> {
  const isLater = { $or: [{ checkedAt: null }, { checkedAt: { $lte: askedAt } }] };
  const current = { processorAccount: account, replacedAt: null };
  const known = await em.findOne(PayoutAccount, { ...current, ...isLater }, LOCK);
  if (!known) return null;
  const couldCharge = known.canCharge;
  em.assign(known, { canCharge, isSubmitted, checkedAt: askedAt });
  await em.flush();
  return { couldCharge };
}

/** What a failed payout writes as its reason where the processor gives none. */
const NO_REASON = 'unknown';

/**
 * Keeps how the latest payout of an account ended: a failure stays until a later payout in its
 * currency arrives.
 * Returns the owner of the account; null for an account that is not ours.
 */
export async function recordPayout(
  em: EntityManager,
  { account, payout }: { account: string; payout: PayoutReading },
): Promise<{ personId: string } | { teamId: string } | null> {
  const known = await em.findOne(PayoutAccount, { processorAccount: account }, LOCK);
  if (!known) return null;
  const { personId, teamId } = known;
  if (payout.status !== 'under_way' && isNewsOfPayouts(known, payout)) {
    const isFailed = payout.status === 'failed';
    em.assign(known, {
      payoutSeenAt: payout.createdAt,
      failedPayoutId: isFailed ? payout.id : null,
      failedPayoutMinor: isFailed ? payout.amountMinor : null,
      failedPayoutCurrency: isFailed ? payout.currency : null,
      failedPayoutReason: isFailed ? (payout.failureCode ?? NO_REASON) : null,
    });
    await em.flush();
  }
  return teamId === null ? { personId: personId! } : { teamId };
}

type ProductWithFailedPayout = { productId: string; reason: string; madeAt: Date };

/**
 * The products whose seller's latest payout failed; of these products, or for null one product of each
 * such seller.
 */
export async function listFailedPayouts(
  em: EntityManager,
  productIds: readonly string[] | null,
): Promise<ProductWithFailedPayout[]> {
  const failed = kysely(em)
    .selectFrom('payoutAccount as payout')
    .innerJoin('product', (join) =>
      join.on(({ eb, or, ref }) =>
        or([
          eb('payout.personId', '=', ref('product.ownerPersonId')),
          eb('payout.teamId', '=', ref('product.ownerTeamId')),
        ]),
      ),
    )
    .select(['product.id as productId', 'payout.failedPayoutReason as reason'])
    .select('payout.payoutSeenAt as madeAt')
    .where('payout.failedPayoutId', 'is not', null)
    .where('payout.replacedAt', 'is', null)
    .where('product.state', '<>', 'removed')
    .orderBy('payout.id')
    .orderBy('product.createdAt')
    .orderBy('product.id')
    .$narrowType<{ reason: NotNull; madeAt: NotNull }>();
  return productIds === null
    ? failed.distinctOn('payout.id').execute()
    : failed.where('product.id', '=', anyOf(productIds)).execute();
}
