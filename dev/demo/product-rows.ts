import { Offer, Price } from '../../domain/catalog/offer.entity.ts';
import { Product, ProductSlug } from '../../domain/catalog/product.entity.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { DAY_MS } from '../../domain/shared/instant.ts';
import { now, type EntityManager } from '../../platform/database/database.ts';

type DemoProduct = {
  slug: string;
  name: string;
  tagline: string;
  ownerId: string;
  state: 'listed' | 'unlisted';
  includedWithMember: boolean;
  /** Minor units by currency, the base price first. */
  prices: Record<string, number>;
  listedDays: number;
};

/** Inserts a product of a lone maker with its default offer; returns its id. */
export async function insertProduct(em: EntityManager, product: DemoProduct): Promise<string> {
  const { slug, name, tagline, ownerId, state, includedWithMember, prices, listedDays } = product;
  const [id, offerId] = [newUuid(), newUuid()];
  const listedSince = new Date((await now(em)).getTime() - listedDays * DAY_MS);
  const listedAt = state === 'listed' ? listedSince : null;
  const owner = { ownerPersonId: ownerId, commercialOperatorId: ownerId };
  await em.insert(Product, { id, ...owner, name, tagline, state, includedWithMember, listedAt });
  await em.insert(ProductSlug, { slug, productId: id });
  await em.insert(Offer, { id: offerId, productId: id, kind: 'one_time', isDefault: true });
  await em.insertMany(
    Price,
    Object.entries(prices).map(([currency, amountMinor], index) => {
      return { id: newUuid(), offerId, currency, amountMinor, isBase: index === 0 };
    }),
  );
  return id;
}
