import type { EntityManager } from '../../platform/database/database.ts';
import { NOW } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import type { Category, Platform } from './listing-words.ts';
import { loadPictures } from './pictures/picture.repository.ts';
import { ProductSlug } from './product.entity.ts';
import type { ProductView } from './product.repository.ts';

type ProductText = Pick<
  ProductView,
  'name' | 'tagline' | 'delivery' | 'websiteUrl' | 'signInUrl' | 'refundTerms'
>;

/** The long texts and the facts of a listing. */
export type ListingText = {
  description: string | null;
  category: Category | null;
  platforms: Platform[];
  tags: string[];
  docsUrl: string | null;
  supportUrl: string | null;
  sourceUrl: string | null;
  changelogUrl: string | null;
  supportAddress: string | null;
};

/** Everything that the form of a listing asks for. */
export type ListingForm = ProductText & ListingText;

/** A listing as it is saved; version 0 has never been described. */
export type ProductListing = ListingForm & {
  descriptionHtml: string | null;
  version: number;
  changedAt: Date | null;
};

/** Reads texts and version by one statement, so that they belong together. */
export async function loadListing(em: EntityManager, productId: string): Promise<ProductListing> {
  const { platforms, tags, version, ...found } = await kysely(em)
    .selectFrom('product')
    .leftJoin('listing', 'listing.productId', 'product.id')
    .select(['product.name', 'product.tagline', 'product.delivery', 'product.websiteUrl'])
    .select(['product.signInUrl', 'product.refundTerms'])
    .select(['listing.description', 'listing.descriptionHtml', 'listing.category'])
    .select(['listing.platforms', 'listing.tags', 'listing.docsUrl', 'listing.supportUrl'])
    .select(['listing.sourceUrl', 'listing.changelogUrl', 'listing.supportAddress'])
    .select(['listing.version', 'listing.changedAt'])
    .where('product.id', '=', productId)
    .executeTakeFirstOrThrow();
  return { ...found, platforms: platforms ?? [], tags: tags ?? [], version: version ?? 0 };
}

/** Reads what a first listing needs. */
export async function loadRequired(em: EntityManager, productId: string) {
  const { icon } = await loadPictures(em, productId);
  return { ...(await loadListing(em, productId)), hasIcon: icon !== null };
}

/** Writes the next version; the caller holds the product. */
export async function saveListing(
  em: EntityManager,
  saved: {
    productId: string;
    text: ListingText & { descriptionHtml: string | null };
    version: number;
  },
): Promise<void> {
  const { productId, text, version } = saved;
  const values = { ...text, version };
  await kysely(em)
    .insertInto('listing')
    .values({ productId, ...values })
    .onConflict((conflict) =>
      conflict.column('productId').doUpdateSet({ ...values, changedAt: NOW }),
    )
    .execute();
}

/** Earlier slugs, the latest first. */
export async function listEarlierSlugs(em: EntityManager, productId: string): Promise<string[]> {
  const orderBy = { createdAt: 'desc', slug: 'asc' } as const;
  const old = await em.find(ProductSlug, { productId, isCurrent: false }, { orderBy });
  return old.map(({ slug }) => slug);
}

/** The product's delivery is promised to its keys, clients, endpoints, grants and members. */
export async function isIntegrated(em: EntityManager, productId: string): Promise<boolean> {
  const integrated = await kysely(em)
    .selectFrom('product')
    .select('product.id')
    .where('product.id', '=', productId)
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('product.includedWithMember', '=', true),
        exists(
          selectFrom('apiKey as key')
            .select('key.id')
            .whereRef('key.productId', '=', 'product.id')
            .where('key.revokedAt', 'is', null),
        ),
        exists(
          selectFrom('oauthClient as client')
            .select('client.id')
            .whereRef('client.productId', '=', 'product.id')
            .where('client.deletedAt', 'is', null),
        ),
        exists(
          selectFrom('webhookEndpoint as endpoint')
            .select('endpoint.id')
            .whereRef('endpoint.productId', '=', 'product.id')
            .where('endpoint.deletedAt', 'is', null),
        ),
        exists(
          selectFrom('accessGrant as grant')
            .select('grant.id')
            .whereRef('grant.productId', '=', 'product.id'),
        ),
      ]),
    )
    .executeTakeFirst();
  return integrated !== undefined;
}
