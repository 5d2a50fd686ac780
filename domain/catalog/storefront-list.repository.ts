import type { ExpressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { EntityManager } from '../../platform/database/database.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { kysely, type Tables } from '../kysely.ts';
import { iconHashOf } from './pictures/picture.repository.ts';
import { SHOWN_SEAL_STATES } from './shown-seal.ts';
import type { SealCount } from './storefront-product.query.ts';

type StoreQuery = {
  /** What the name or the tagline holds, word by word. */
  search?: string;
  isIncluded?: boolean;
  /** The product that the list goes on after. */
  after: string | null;
};

const PAGE = 24;
const MOST_WORDS = 8;

/**
 * Lists listed products, the latest listed first; `next` is the last one where others follow. Prices
 * of the default offer come first, and in each offer the base price; none in a disabled currency.
 */
export async function listStoreProducts(
  em: EntityManager,
  { search = '', isIncluded = false, after }: StoreQuery,
) {
  let listed = kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
    .leftJoin('team', 'team.id', 'product.ownerTeamId')
    .select(['product.id', 'slug.slug', 'product.name', 'product.tagline'])
    .select(['product.includedWithMember', 'product.delivery'])
    .select((product) => pricesOf(product).as('prices'))
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select(({ fn }) =>
      fn.coalesce('team.name', 'owner.displayName').$castTo<string>().as('sellerName'),
    )
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('seal')
          .select('seal.productId')
          .whereRef('seal.productId', '=', 'product.id')
          .where('seal.state', 'in', SHOWN_SEAL_STATES),
      )
        .$castTo<boolean>()
        .as('hasSeal'),
    )
    .select((product) => sealCountsOf(product).as('sealCounts'))
    .where('product.state', '=', 'listed');
  if (isIncluded) listed = listed.where('product.includedWithMember', '=', true);
  for (const pattern of patternsOf(search)) {
    listed = listed.where(({ eb, or }) =>
      or([eb('product.name', 'ilike', pattern), eb('product.tagline', 'ilike', pattern)]),
    );
  }
  if (after !== null) {
    listed = listed.where(({ and, eb, or, ref, selectFrom }) => {
      const listedAt = selectFrom('product as last').select('listedAt').where('id', '=', after);
      return or([
        eb('product.listedAt', '<', listedAt),
        and([eb('product.listedAt', '=', listedAt), eb(ref('product.id'), '>', after)]),
      ]);
    });
  }
  const found = await listed
    .orderBy('product.listedAt', 'desc')
    .orderBy('product.id')
    .limit(PAGE + 1)
    .execute();
  const { lines, next } = toPage(found, PAGE, ({ id }) => id);
  const products = lines.map(({ prices, ...product }) => ({ ...product, prices: prices ?? [] }));
  return { products, next };
}

export type StoreList = Awaited<ReturnType<typeof listStoreProducts>>;
export type StoreProduct = StoreList['products'][number];

/** The prices in the order of the product's page. */
const pricesOf = ({ selectFrom }: ExpressionBuilder<Tables, 'product'>) =>
  selectFrom('offer')
    .innerJoin('price', 'price.offerId', 'offer.id')
    .innerJoin('enabledCurrency as enabled', 'enabled.currency', 'price.currency')
    .select(({ fn, ref }) =>
      fn
        .jsonAgg(
          jsonBuildObject({
            amountMinor: ref('price.amountMinor'),
            currency: ref('price.currency'),
            kind: ref('offer.kind'),
          }),
        )
        .orderBy('offer.isDefault', 'desc')
        .orderBy('offer.createdAt')
        .orderBy('offer.id')
        .orderBy('price.isBase', 'desc')
        .orderBy('price.currency')
        .as('prices'),
    )
    .whereRef('offer.productId', '=', 'product.id')
    .where('offer.retiredAt', 'is', null)
    .where('price.retiredAt', 'is', null);

/** What the latest passed review of the seal counted, by the key of the reviews. */
const sealCountsOf = ({ selectFrom }: ExpressionBuilder<Tables, 'product'>) =>
  selectFrom('sealReview as review')
    .select(({ ref }) => ref('review.criteria').$castTo<SealCount[]>().as('criteria'))
    .whereRef('review.productId', '=', 'product.id')
    .where('review.isPassed', '=', true)
    .orderBy('review.week', 'desc')
    .limit(1);

/** The marks of a pattern stand for themselves. */
function patternsOf(search: string): string[] {
  const words = search.split(/\s+/).filter((word) => word !== '');
  return words
    .slice(0, MOST_WORDS)
    .map((word) => `%${word.replaceAll(/[\\%_]/g, (mark) => `\\${mark}`)}%`);
}
