import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import type { ChangeReason } from '../decide-entitlement-event.ts';
import { MembershipChange } from './membership.entity.ts';

type Key = { productId: string; personId: string };

/** A membership has begun and has not ended. */
export const RUNNING = ['active', 'past_due', 'canceling'] as const;

/**
 * The statement's `membership` gives access now. An ended membership gives access when its money
 * went back and returned; another membership may run beside it.
 */
export function isLive() {
  const { and, eb, or } = expressionBuilder<Tables, 'membership'>();
  return and([
    eb('membership.withdrawnAt', 'is', null),
    or([
      eb('membership.endsAt', '>', NOW),
      and([eb('membership.endsAt', 'is', null), eb('membership.status', 'in', RUNNING)]),
    ]),
  ]);
}

/**
 * The instant until which the statement's `membershipActivation` gave access, once its `membership`
 * is over.
 */
export function activeUntil() {
  const { fn } = expressionBuilder<Tables, 'membership' | 'membershipActivation'>();
  const over = fn<Date | null>('least', ['membership.endsAt', 'membership.withdrawnAt']);
  return fn.coalesce('membershipActivation.closedAt', over);
}

/**
 * Locks the membership before the row of the access: a membership that runs, or may give access
 * again, does not change while an Included product's access does, so that no activation is made
 * beside the event of its end.
 */
export async function lockMembershipOf(em: EntityManager, key: Key): Promise<void> {
  await membershipsReaching(em, key)
    .select('membership.id')
    .where(({ eb, or }) =>
      or([eb('membership.status', 'in', RUNNING), eb('membership.endsAt', '>', NOW)]),
    )
    .orderBy('membership.id')
    .forShare('membership')
    .execute();
}

/** The person's memberships, when the product is Included. */
const membershipsReaching = (em: EntityManager, { productId, personId }: Key) =>
  kysely(em)
    .selectFrom('membership')
    .innerJoin('product', (join) =>
      join.on('product.id', '=', productId).on('product.includedWithMember', '=', true),
    )
    .where('membership.personId', '=', personId);

/**
 * Finds the person's live membership that lasts longest, when the product is Included.
 * `hasAnyActivation`: activated by this or another live membership.
 */
export async function findLiveMembership(em: EntityManager, key: Key) {
  const found = await membershipsReaching(em, key)
    .leftJoin('membershipActivation as activation', (join) =>
      join
        .onRef('activation.membershipId', '=', 'membership.id')
        .onRef('activation.productId', '=', 'product.id')
        .on('activation.closedAt', 'is', null),
    )
    .select(['membership.id', 'membership.endsAt'])
    .select(({ eb, fn }) => {
      const hasActivation = eb('activation.membershipId', 'is not', null).$castTo<boolean>();
      return [
        hasActivation.as('hasActivation'),
        fn.agg<boolean>('bool_or', [hasActivation]).over().as('hasAnyActivation'),
      ];
    })
    .where(isLive())
    .orderBy('membership.endsAt', (end) => end.desc().nullsFirst())
    .orderBy('membership.id')
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Returns when a membership last gave access to a product that it gives no access to now; null when
 * it never did.
 */
export async function findPastMembership(em: EntityManager, key: Key): Promise<Date | null> {
  const last = await kysely(em)
    .selectFrom('membership')
    .innerJoin('membershipActivation', (join) =>
      join
        .onRef('membershipActivation.membershipId', '=', 'membership.id')
        .on('membershipActivation.productId', '=', key.productId),
    )
    .select(activeUntil().as('activeUntil'))
    .where('membership.personId', '=', key.personId)
    .where(({ eb }) => eb(activeUntil(), '<=', NOW))
    .orderBy('activeUntil', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.activeUntil ?? null;
}

/**
 * Records once that a product is activated: from then on it is notified of changes of the
 * membership.
 */
export async function recordActivation(
  em: EntityManager,
  { membershipId, productId }: { membershipId: string; productId: string },
): Promise<void> {
  await kysely(em)
    .insertInto('membershipActivation')
    .values({ membershipId, productId })
    .onConflict((conflict) =>
      conflict
        .columns(['membershipId', 'productId'])
        .doUpdateSet({ openedAt: NOW, closedAt: null })
        .where('membershipActivation.closedAt', 'is not', null),
    )
    .execute();
}

/** Belongs in the transaction of the change: the workflow notifies the products batch by batch. */
export async function recordMembershipChange(
  em: EntityManager,
  { membershipId, reason }: { membershipId: string; reason: ChangeReason },
): Promise<void> {
  await em.insert(MembershipChange, { membershipId, reason });
}

/** The number of people who activated the product with a live membership. */
export async function countActivations(em: EntityManager, productId: string): Promise<number> {
  const { people } = await kysely(em)
    .selectFrom('membershipActivation')
    .innerJoin('membership', 'membership.id', 'membershipActivation.membershipId')
    .select(({ fn }) => fn.count<number>('membership.personId').distinct().as('people'))
    .where('membershipActivation.productId', '=', productId)
    .where('membershipActivation.closedAt', 'is', null)
    .where(isLive())
    .executeTakeFirstOrThrow();
  return people;
}
