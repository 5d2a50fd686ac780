// What somebody was about to buy when sign-in or a confirmation came between.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { findPending } from '../../domain/identity/pre-session.query.ts';
import type { RouteContext } from '../route.ts';
import { findReferred, isHidden } from './product-ref.ts';

const BUY = /^\/buy\/([^/?#]+)/;
const SUBSCRIBE = /^\/member\/subscribe(\?|$)/;

/** The name of it; null when nothing is pending, or something else is. */
export async function findPendingName({
  services,
  cookies,
}: Pick<RouteContext, 'services' | 'cookies'>): Promise<string | null> {
  const token = cookies.preSession;
  const pending = token === null ? null : await findPending(services.database.em(), token);
  const returnTo = pending?.returnTo ?? '';
  if (SUBSCRIBE.test(returnTo)) return 'Member';
  const ref = BUY.exec(returnTo)?.[1];
  const product = ref === undefined ? null : await findReferred(services, ref);
  return product && !isHidden(product) ? product.name : null;
}

/** Says on the way that the purchase goes on: "Sign in to continue buying Paper Trail." */
export function pendingNotice(step: string, name: string | null): HtmlSafeString | '' {
  if (name === null) return '';
  return html`<p class="notice" role="status" data-pending>
    ${step} to continue buying <strong>${name}</strong>.
  </p>`;
}
