import { z } from 'zod';
import { findOffering, type ShownOffering } from '../../domain/catalog/storefront-product.query.ts';
import { loadStoreProducts } from '../../domain/catalog/storefront-list.repository.ts';
import { type ProductView, findManagedProduct } from '../../domain/catalog/product.repository.ts';
import { PREVIEW } from '../../domain/catalog/pictures/picture.ts';
import { parseUuid } from '../../domain/shared/ids.ts';
import { hasAccess } from '../../domain/entitlements/library.repository.ts';
import { findLiveMembership } from '../../domain/entitlements/memberships/membership.repository.ts';
import {
  BUY_REASONS,
  decideSale,
  type BuyReason,
} from '../../domain/billing/checkout/sale-requirements.ts';
import {
  listMemberPrices,
  type MemberPriceView,
} from '../../domain/billing/memberships/member-price.repository.ts';
import { isAllowed } from '../../domain/teams/permissions.ts';
import { isOwned } from '../../domain/billing/purchases/purchase.repository.ts';
import { listUnfinishedOf } from '../../domain/billing/purchases/buyer-purchases.repository.ts';
import { batchStatement } from '../../platform/database/batcher.ts';
import { page, redirect } from '../http/response.ts';
import { HttpError } from '../http/errors.ts';
import { mark } from '../http/fields.ts';
import { sessionFormToken } from '../http/csrf.ts';
import { OPENING_POLICY } from '../http/security-headers.ts';
import { defineRoute, type RouteContext, type View, OPEN_PAGE } from '../http/route.ts';
import { pricesOfOffer, saleFacts } from './buy-request.ts';
import { homePage } from './home.page.ts';
import { personPath, teamPath } from './search-request.ts';
import { isHidden, isReference } from '../../domain/catalog/product-reference.ts';
import { productRef } from '../http/params.ts';
import { imagePath } from '../html/image-path.ts';
import { rendered } from '../html/rendered.ts';
import type { Services } from '../services.ts';
import { productPage } from './product.page.ts';
import { describeProduct } from './structured-data.ts';

/** Visitors who come at the same moment see the same first page: it is read and written once. */
const readHome = batchStatement<null, View, Services>({
  async many({ database, shelves }, visitors) {
    const known = await shelves.read();
    const ids = new Set(known.flatMap(({ productIds }) => productIds));
    const [products, prices] = await Promise.all([
      loadStoreProducts(database, [...ids]),
      listMemberPrices(database.em()),
    ]);
    const byId = new Map(products.map((product) => [product.id, product]));
    const shown = known.map(({ kind, productIds }) => {
      return { kind, products: productIds.flatMap((id) => byId.get(id) ?? []) };
    });
    const view = homePage({ shelves: shown, memberPrice: toMonthlyPrice(prices) });
    const written = { ...view, content: rendered(view.content) };
    return visitors.map(() => written);
  },
});

const showHome = defineRoute({
  ...OPEN_PAGE,
  path: '/',
  summary: 'Show the store',
  input: {},
  handler: async (context) => page(context, await readHome(context.services, null)),
});

/** The monthly price of Member, in USD where it is sold in it. */
function toMonthlyPrice(prices: MemberPriceView[]): MemberPriceView | null {
  const monthly = prices.filter(({ billingInterval }) => billingInterval === 'month');
  return monthly.find(({ currency }) => currency === 'USD') ?? monthly[0] ?? null;
}

const showProduct = defineRoute({
  ...OPEN_PAGE,
  path: '/p/:ref',
  mayEndInSlash: true,
  summary: 'Show a product',
  input: { params: productRef, query: z.object({ reason: mark }) },
  hasEtag: true,
  contentSecurityPolicy: OPENING_POLICY,
  async handler(context) {
    const { ctx, services, params, query } = context;
    const { ref } = params;
    const found = isReference(ref) ? await findOffering(services.database.pool, ref) : null;
    if (!found) throw new HttpError('not_found');
    const { product } = found;
    const roles = await readRoles(context, product);
    if (isHidden(product) && roles === null) throw new HttpError('not_found');
    const path = pagePath(ref, product);
    if (ctx.path !== path) return redirect(`${path}${ctx.search}`, { status: 301 });
    const { prices } = found;
    const blockReason = decideSale(saleFacts(product, pricesOfOffer(prices, {})));
    const reason = toReason(query.reason);
    const access = await readAccess(context, product);
    const canEdit = roles !== null && isAllowed(roles, 'edit_listing');
    const isSimulated = services.processor.kind === 'simulator';
    const shown = { ...found, blockReason, reason, canEdit };
    const around = await readAround(context, found);
    const view = productPage({ ...shown, ...around, isSimulated, ...access });
    return showTo(context, { ...view, ...describe(context, shown) });
  },
});

type ProductFacts = ShownOffering & { blockReason: BuyReason | null };

const SHOWN_OF_CATEGORY = 4;

/**
 * What the page leads on to: other products of the category, and the maker's page where there is one.
 * The others are read by the statement of product pages, which callers share: most ask for the same.
 */
async function readAround({ services }: RouteContext, found: ShownOffering) {
  const { database, shelves } = services;
  const { product, listing, siblings, ownerHandle } = found;
  const { ownerTeamId, id: own } = product;
  const category = listing?.category ?? null;
  const ids = category === null ? [] : await shelves.readCategory(category);
  const others = ids.filter((id) => id !== own).slice(0, SHOWN_OF_CATEGORY);
  const hasMakerPage = product.state === 'listed' || siblings.length > 0;
  const offered = await Promise.all(others.map((id) => findOffering(database.pool, id)));
  const ofTeam = ownerTeamId === null ? null : teamPath(ownerTeamId);
  const makerPath = ownerHandle === null ? ofTeam : personPath(ownerHandle);
  return {
    others: offered.flatMap((each) => (each?.product.state === 'listed' ? toCard(each) : [])),
    makerPath: hasMakerPage ? makerPath : null,
  };
}

const toCard = ({ product, prices, hasSeal }: ShownOffering) => ({ ...product, prices, hasSeal });

/** Adds what search engines and previews of a link read; they leave out what is not listed. */
function describe({ services }: RouteContext, facts: ProductFacts): Partial<View> {
  const { product, prices, screenshots, listing, blockReason } = facts;
  if (product.state !== 'listed') return { isNoIndex: true };
  const { baseUrl } = services.config;
  const hash = screenshots[0]?.hash ?? product.iconHash;
  const image = hash === null ? null : { ...PREVIEW, path: imagePath(hash, PREVIEW.width) };
  const canonical = `/p/${product.slug}`;
  const structuredData = describeProduct({
    product,
    prices,
    category: listing?.category ?? null,
    url: `${baseUrl}${canonical}`,
    image: hash === null ? null : `${baseUrl}${imagePath(hash, 1600)}`,
    isForSale: blockReason === null,
  });
  return { canonical, image, structuredData };
}

/** An anonymous response is the same for everyone, so browsers may store it and revalidate it. */
function showTo(context: RouteContext, view: View) {
  if (context.currentUser) return page(context, view);
  const headers = { 'cache-control': 'no-cache', vary: 'cookie' };
  return page(context, view, { headers });
}

/** Whether the reader has bought the product, as the buy link would say, and may use it now. */
async function readAccess(context: RouteContext, product: ProductView) {
  const { services, currentUser } = context;
  if (!currentUser) return NO_ACCESS;
  const em = services.database.em();
  const key = { personId: currentUser.personId, productId: product.id };
  return {
    isOwn: await isOwned(em, key),
    hasAccess: await hasAccess(em, key),
    memberToken: await findMemberToken(context, product),
    unfinished: await listUnfinishedOf(em, key),
    token: sessionFormToken(context),
  };
}

const NO_ACCESS = { isOwn: false, hasAccess: false, memberToken: null, unfinished: [], token: '' };

/** Returns a token for a member in front of an Included product that the member has not opened. */
async function findMemberToken(
  context: RouteContext,
  product: ProductView,
): Promise<string | null> {
  const { currentUser, services } = context;
  if (!currentUser || !product.includedWithMember || isHidden(product)) return null;
  const key = { productId: product.id, personId: currentUser.personId };
  const membership = await findLiveMembership(services.database.em(), key);
  return membership && !membership.hasAnyActivation
    ? sessionFormToken({ ...context, currentUser })
    : null;
}

/** The roles that the reader has in the product, with which it is seen before it is listed; or null. */
async function readRoles({ services, currentUser }: RouteContext, { id: ref }: ProductView) {
  if (!currentUser) return null;
  const managed = await findManagedProduct(services.database.em(), { manager: currentUser, ref });
  return managed?.roles ?? null;
}

function toReason(given: unknown): BuyReason | null {
  return BUY_REASONS.find((code) => code === given) ?? null;
}

/** The path of a product's page: by the current slug, or by the UUID for a link by the UUID. */
function pagePath(ref: string, { slug }: ProductView): string {
  return `/p/${parseUuid(ref) ?? slug}`;
}

export const routes = [showHome, showProduct];
