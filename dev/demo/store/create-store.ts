// Fills the store of the demo: products that people can look at and buy, and what each page says.
import { changeListing } from '../../../domain/catalog/listing.command.ts';
import { loadListing } from '../../../domain/catalog/listing.repository.ts';
import { addRelease } from '../../../domain/catalog/releases/release.command.ts';
import { listChosenShelves } from '../../../domain/catalog/search/chosen-shelf.repository.ts';
import { chooseShelf } from '../../../domain/catalog/search/choose-shelf.command.ts';
import { Product, ProductSlug } from '../../../domain/catalog/product.entity.ts';
import { DAY_MS } from '../../../domain/shared/instant.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { insertProduct } from '../product-rows.ts';
import { LISTINGS, STORE_PRODUCTS } from './store-data.ts';
import type { StoreListing } from './store-product.ts';

const DAYS_BETWEEN = 5;
const REFUND_TERMS = 'Write to us within 14 days, and you get your money back.';

/** Inserts the products that are not there. */
export async function createStore(
  em: EntityManager,
  makers: readonly { id: string; handle: string }[],
): Promise<void> {
  for (const [index, product] of STORE_PRODUCTS.entries()) {
    const { slug, owner, usd, isIncluded = false } = product;
    if (await em.findOne(ProductSlug, { slug })) continue;
    const { id: ownerId } = makers.find(({ handle }) => handle === owner)!;
    const offered = { prices: { USD: usd }, includedWithMember: isIncluded };
    const listing = { state: 'listed', listedDays: 1 + index * DAYS_BETWEEN } as const;
    await insertProduct(em, { ...product, ...offered, ...listing, ownerId });
  }
}

/** The listing of each product of the demo, by its slug. */
export const DEMO_LISTINGS: ReadonlyMap<string, StoreListing> = new Map([
  ...Object.entries(LISTINGS),
  ...STORE_PRODUCTS.map((product) => [product.slug, product] as const),
]);

const FEATURED = ['tide-table', 'ledger-light', 'harbour'];

/** Fills the first shelf as an operator would; one that is filled stays. */
export async function featureProducts(em: EntityManager, operatorId: string): Promise<void> {
  if ((await listChosenShelves(em)).length > 0) return;
  const by = { personId: operatorId, ip: null };
  await chooseShelf(em, { place: 1, title: 'Featured', slugs: FEATURED, by });
}

const DAYS_BETWEEN_RELEASES = 19;

/** Describes the products that nobody has described yet, as their makers would. */
export async function describeProducts(em: EntityManager): Promise<void> {
  const today = await now(em);
  for (const [slug, { does, category, platforms, tags }] of DEMO_LISTINGS) {
    const { productId } = await em.findOneOrFail(ProductSlug, { slug });
    const { version, ...before } = await loadListing(em, productId);
    if (version > 0) continue;
    const { name, tagline, delivery, websiteUrl, signInUrl } = before;
    const short = { name, tagline, delivery, websiteUrl, signInUrl, refundTerms: REFUND_TERMS };
    const listed = { description: describe(before, does), category, platforms, tags };
    const links = { docsUrl: null, supportUrl: null, sourceUrl: null, changelogUrl: null };
    const { ownerPersonId: personId } = await em.findOneOrFail(Product, productId);
    const change = { productId, teamId: null, by: { personId, ip: null } };
    for (const [index, notes] of does.entries()) {
      const publishedAt = new Date(today.getTime() - (1 + index * DAYS_BETWEEN_RELEASES) * DAY_MS);
      await addRelease(em, { ...change, version: `1.${does.length - index}`, publishedAt, notes });
    }
    await changeListing(em, {
      ...change,
      text: { ...short, ...listed, ...links, supportAddress: `support@${slug}.example` },
      version,
    });
  }
}

function describe({ name, tagline }: { name: string; tagline: string }, does: string[]): string {
  return [
    `**${tagline}** ${name} does a few things, and does them well:`,
    does.map((sentence) => `- ${sentence}`).join('\n'),
    `## How it begins\n\nBuy it here and open it from your library: ${name} knows you by your account. Nothing else has to be set up.`,
  ].join('\n\n');
}
