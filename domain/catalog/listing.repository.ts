import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { ProductSlug } from './product.entity.ts';
import type { ProductView } from './product.repository.ts';

export type ProductText = Pick<
  ProductView,
  'name' | 'tagline' | 'delivery' | 'websiteUrl' | 'signInUrl' | 'refundTerms'
>;

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
