// What sent somebody to sign-in or a confirmation: something to buy, or an app.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { findPending } from '../../domain/identity/after-sign-in.query.ts';
import { findAuthorizeClient } from '../../domain/oauth/clients/oauth-client.repository.ts';
import type { IconProduct } from '../html/emblems.ts';
import type { RouteContext } from '../http/route.ts';
import type { Services } from '../services.ts';
import { findProduct } from '../../domain/catalog/storefront-product.query.ts';
import { isHidden } from '../../domain/catalog/product-reference.ts';

const BUY = /^\/buy\/([^/?#]+)/;
const SUBSCRIBE = /^\/member\/subscribe(\?|$)/;

const AUTHORIZE = '/oauth/authorize?';

/** The address of an app's request, as a header can carry it. */
export const AUTHORIZE_REQUEST = /^\/oauth\/authorize\?[\u0021-\u007e]+$/;

export type Destination = {
  name: string;
  isApp: boolean;
  /** The product whose icon stands for it; null for what is the platform's own. */
  product: IconProduct | null;
};

/** Returns null when nothing is pending, or something else is. */
export async function findDestination({
  services,
  cookies,
}: Pick<RouteContext, 'services' | 'cookies'>): Promise<Destination | null> {
  const token = cookies.preSession;
  const pending = token === null ? null : await findPending(services.database.em(), token);
  const returnTo = pending?.returnTo ?? '';
  if (returnTo.startsWith(AUTHORIZE)) return findApp(services, returnTo);
  if (SUBSCRIBE.test(returnTo)) return { name: 'Member', isApp: false, product: null };
  const ref = BUY.exec(returnTo)?.[1];
  const product = ref === undefined ? null : await findProduct(services.database.pool, ref);
  return product && !isHidden(product) ? { name: product.name, isApp: false, product } : null;
}

/** Names an app as its client is registered. */
async function findApp({ database }: Services, returnTo: string): Promise<Destination | null> {
  const query = new URLSearchParams(returnTo.slice(AUTHORIZE.length));
  const client = await findAuthorizeClient(database.em(), query.get('client_id') ?? '');
  if (!client) return null;
  const { name, slug, productName, iconHash } = client;
  const product =
    slug === null || productName === null ? null : { slug, name: productName, iconHash };
  return { name, isApp: true, product };
}

/** Names what follows a step: "continue buying Paper Trail". */
export function onwardsTo({ isApp }: Destination): string {
  return isApp ? 'continue to' : 'continue buying';
}

/** Tells why the step comes first: "Sign in to continue to Paper Trail." */
export function pendingNotice(step: string, destination: Destination | null): HtmlSafeString | '' {
  if (destination === null) return '';
  return html`<p class="lede" role="status" data-pending>
    ${step} to ${onwardsTo(destination)} <strong>${destination.name}</strong>.
  </p>`;
}
