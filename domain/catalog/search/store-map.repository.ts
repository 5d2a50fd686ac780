// What the store lists, for programs that visit all of it.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

const BATCH = 250;

export async function countListed(em: EntityManager): Promise<number> {
  const { count } = await kysely(em)
    .selectFrom('productSearch')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Reads the slugs of so many listed products from a place in the order of their ids. */
export async function* readListedSlugs(
  em: EntityManager,
  { from, most }: { from: number; most: number },
): AsyncGenerator<string[]> {
  let last: string | null = null;
  for (let read = 0; read < most; read += BATCH) {
    const slugs: { productId: string; slug: string }[] = await kysely(em)
      .selectFrom('productSearch as listed')
      .innerJoin('productSlug as slug', 'slug.productId', 'listed.productId')
      .select(['listed.productId', 'slug.slug'])
      .where('slug.isCurrent', '=', true)
      .$if(last !== null, (rows) => rows.where('listed.productId', '>', last!))
      .orderBy('listed.productId')
      .offset(last === null ? from : 0)
      .limit(Math.min(BATCH, most - read))
      .execute();
    if (slugs.length > 0) yield slugs.map(({ slug }) => slug);
    if (slugs.length < BATCH) return;
    last = slugs.at(-1)!.productId;
  }
}
