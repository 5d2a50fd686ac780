import { expressionBuilder, type Expression } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely, type Tables } from '../kysely.ts';
import { rolesFor } from '../teams/permissions.ts';
import { isSuspended } from '../teams/team.repository.ts';
import { Product } from './product.entity.ts';

const COMMERCIAL_ROLES = rolesFor('answer_for_sales');

/** The person may be the seller of record of the statement's `product` now. */
export function mayAnswerForSales(personId: Expression<string | null>) {
  const { exists, selectFrom } = expressionBuilder<Tables, 'product'>();
  const person = selectFrom('person as candidate')
    .leftJoin('teamMember as member', (join) =>
      join
        .onRef('member.teamId', '=', 'product.ownerTeamId')
        .onRef('member.personId', '=', 'candidate.id'),
    )
    .select('candidate.id')
    .where('candidate.id', '=', personId)
    .where('candidate.emailVerifiedAt', 'is not', null)
    .where('candidate.deletedAt', 'is', null)
    .where(({ and, eb, not, or, ref }) =>
      or([
        and([
          eb('member.role', 'in', COMMERCIAL_ROLES),
          not(isSuspended(ref('product.ownerTeamId'))),
        ]),
        and([
          eb('candidate.id', '=', ref('product.ownerPersonId')),
          eb('candidate.builderVerifiedAt', 'is not', null),
        ]),
      ]),
    );
  return exists(person).$castTo<boolean>();
}

type Sales = { productId: string; personId: string };

/**
 * False when the person is seller of record already, or may not be one: an owner or finance member
 * of a team that is not suspended, or the verified builder.
 */
export async function answerForSales(
  em: EntityManager,
  { productId, personId }: Sales,
): Promise<boolean> {
  const set = await kysely(em)
    .updateTable('product')
    .set({ commercialOperatorId: personId })
    .where('id', '=', productId)
    .where('state', '<>', 'removed')
    .where('commercialOperatorId', 'is distinct from', personId)
    .where(({ val }) => mayAnswerForSales(val(personId)))
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** False when another person is seller of record by now. */
export async function stopAnswering(
  em: EntityManager,
  { productId, personId }: Sales,
): Promise<boolean> {
  const answering = {
    id: productId,
    commercialOperatorId: personId,
    state: { $ne: 'removed' as const },
  };
  return (await em.nativeUpdate(Product, answering, { commercialOperatorId: null })) === 1;
}

export type CommercialOperator = { personId: string; handle: string };

export async function findCommercialOperator(
  em: EntityManager,
  productId: string,
): Promise<CommercialOperator | null> {
  const found = await kysely(em)
    .selectFrom('product')
    .innerJoin('person', 'person.id', 'product.commercialOperatorId')
    .select(['person.id as personId', 'person.handle'])
    .where('product.id', '=', productId)
    .executeTakeFirst();
  return found ?? null;
}
