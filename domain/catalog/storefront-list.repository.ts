import type { ExpressionBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { batchStatement } from '../../platform/database/batcher.ts';
import type { Database, EntityManager } from '../../platform/database/database.ts';
import { toPage } from '../../platform/database/to-page.ts';
import { anyOf } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';
import { iconHashOf } from './pictures/picture.repository.ts';
import { SHOWN_SEAL_STATES } from './shown-seal.ts';
import type { SealCount } from './storefront-product.query.ts';

const PAGE = 24;

/**
 * Lists the listed products that Member includes, the latest listed first; `next` is the last one
 * where others follow `after`.
 */
export async function listIncludedProducts(em: EntityManager, after: string | null) {
  let listed = selectListed(em).where('product.includedWithMember', '=', true);
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
  return { products: lines.map(withPrices), next };
}

/** Loads products as they are now, in the order of their ids; those that are not listed are left out. */
export const loadStoreProducts = batchStatement<readonly string[], StoreProduct[], Database>({
  async many(database, lists) {
    // Visitors of the same page ask for the same products: they are read once.
    const distinct = [...new Set(lists.flat())];
    if (distinct.length === 0) return lists.map(() => []);
    const listed = selectListed(database.em());
    const found = await listed.where('product.id', '=', anyOf(distinct)).execute();
    const byId = new Map(found.map((product) => [product.id, withPrices(product)]));
    return lists.map((ids) => ids.flatMap((id) => byId.get(id) ?? []));
  },
});

/**
 * Prices of the default offer come first, and in each offer the base price; none in a disabled
 * currency.
 */
const selectListed = (em: EntityManager) =>
  kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .leftJoin('person as owner', 'owner.id', 'product.ownerPersonId')
    .leftJoin('listing', 'listing.productId', 'product.id')
    .leftJoin('seal', (join) =>
      join.onRef('seal.productId', '=', 'product.id').on('seal.state', 'in', SHOWN_SEAL_STATES),
    )
    .select(['product.id', 'slug.slug', 'product.name', 'product.tagline'])
    .select(['product.includedWithMember', 'product.delivery', 'listing.category'])
    .select((product) => pricesOf(product).as('prices'))
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .select((product) => screenshotHashOf(product).as('screenshotHash'))
    .select((product) =>
      product.fn
        .coalesce(teamNameOf(product), 'owner.displayName')
        .$castTo<string>()
        .as('sellerName'),
    )
    .select(({ eb }) => eb('seal.productId', 'is not', null).$castTo<boolean>().as('hasSeal'))
    .select((product) => sealCountsOf(product).as('sealCounts'))
    .where('product.state', '=', 'listed');

type ListedRow = Awaited<ReturnType<ReturnType<typeof selectListed>['execute']>>[number];

const withPrices = ({ prices, ...product }: ListedRow) => ({ ...product, prices: prices ?? [] });

export type StoreList = Awaited<ReturnType<typeof listIncludedProducts>>;
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

/** The name by its key: a join would read all teams where they are few. */
const teamNameOf = ({ selectFrom }: ExpressionBuilder<Tables, 'product'>) =>
  selectFrom('team').select('team.name').whereRef('team.id', '=', 'product.ownerTeamId');

/** The first screenshot, by the key of the pictures. */
const screenshotHashOf = ({ selectFrom }: ExpressionBuilder<Tables, 'product'>) =>
  selectFrom('productImage as screenshot')
    .select('screenshot.hash')
    .whereRef('screenshot.productId', '=', 'product.id')
    .where('screenshot.position', '=', 1);

/** What the latest passed review of the seal counted, by the key of the reviews. */
const sealCountsOf = ({ selectFrom }: ExpressionBuilder<Tables, 'product'>) =>
  selectFrom('sealReview as review')
    .select(({ ref }) => ref('review.criteria').$castTo<SealCount[]>().as('criteria'))
    .whereRef('review.productId', '=', 'product.id')
    .where('review.isPassed', '=', true)
    .orderBy('review.week', 'desc')
    .limit(1);
