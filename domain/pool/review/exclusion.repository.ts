import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';

type Exclusion = {
  personId: string;
  productId: string;
  /** The month's first day. */
  month: string;
  reason: string;
  byId: string;
};

/**
 * The person's days on the product in the month do not count in the pool. Of a frozen month the next
 * open one corrects it.
 */
export async function excludeEvidence(
  em: EntityManager,
  { byId, ...exclusion }: Exclusion,
): Promise<Refusal<'no_evidence' | 'excluded'> | null> {
  const { personId, productId, month, reason } = exclusion;
  const written = await kysely(em)
    .insertInto('poolExclusion')
    .columns(['personId', 'productId', 'month', 'reason', 'excludedBy'])
    .expression(({ selectFrom, val, cast }) =>
      selectFrom('usageMonth')
        .select(['personId', 'productId', 'month'])
        .select([
          cast<string>(val(reason), 'text').as('reason'),
          cast<string>(val(byId), 'uuid').as('by'),
        ])
        .where('personId', '=', personId)
        .where('productId', '=', productId)
        .where('month', '=', month)
        .where('qualifyingDays', '<>', 0),
    )
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (written.numInsertedOrUpdatedRows === 1n) return null;
  const found = await kysely(em)
    .selectFrom('poolExclusion')
    .select('month')
    .where('personId', '=', personId)
    .where('productId', '=', productId)
    .where('month', '=', month)
    .executeTakeFirst();
  return refuse(found ? 'excluded' : 'no_evidence');
}

const PAGE = 50;

/** The newest first, before a given instant. */
export async function listExclusions(em: EntityManager, before: Date | null) {
  const found = await kysely(em)
    .selectFrom('poolExclusion as without')
    .innerJoin('person', 'person.id', 'without.personId')
    .innerJoin('person as operator', 'operator.id', 'without.excludedBy')
    .innerJoin('product', 'product.id', 'without.productId')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['without.personId', 'without.productId', 'without.month', 'without.reason'])
    .select(['without.createdAt', 'person.handle', 'operator.handle as excludedBy'])
    .select(['product.name', 'slug.slug'])
    .$if(before !== null, (all) => all.where('without.createdAt', '<', before!))
    .orderBy('without.createdAt', 'desc')
    .orderBy('without.personId')
    .limit(PAGE + 1)
    .execute();
  const lines = found.slice(0, PAGE);
  return { lines, next: found.length > PAGE ? lines.at(-1)!.createdAt.toISOString() : null };
}

export type ExclusionLine = Awaited<ReturnType<typeof listExclusions>>['lines'][number];
