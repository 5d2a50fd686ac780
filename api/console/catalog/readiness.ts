import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ProductView } from '../../../domain/catalog/catalog.repository.ts';
import { waysToAsk } from '../../../domain/catalog/diagnose.ts';
import { listKeys } from '../../../domain/catalog/keys/key-list.repository.ts';
import { hasBasePrice } from '../../../domain/catalog/prices/price-list.repository.ts';
import { listClients } from '../../../domain/oauth/clients/client-console.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import {
  checkReadiness,
  type ReadinessCode,
  type Requirement,
} from '../../../domain/billing/checkout/readiness.ts';
import { productPath } from '../console-frame.ts';

type Words = { met: string; unmet: string; page: string; link: string };

/** What each line of the checklist says, and where it is mended. */
const WORDS: Partial<Record<ReadinessCode, Words>> = {
  not_listed: {
    met: 'Listed in the store',
    unmet: 'Not listed in the store',
    page: '/selling#state',
    link: 'List it',
  },
  no_active_price: {
    met: 'Has a price',
    unmet: 'Has no base price in an enabled currency',
    page: '/prices',
    link: 'Prices',
  },
  no_commercial_operator: {
    met: 'Somebody answers for its sales',
    unmet: 'Nobody who may answers for its sales',
    page: '/selling#operator',
    link: 'Commercial operator',
  },
  payouts_not_ready: {
    met: 'Its payout account can charge',
    unmet: 'No payout account that can charge',
    page: '/selling#payouts',
    link: 'Payout account',
  },
  no_way_to_check: {
    met: 'Can ask who has access',
    unmet: 'Cannot ask who has access: no live key and no OAuth client',
    page: '/keys',
    link: 'API keys',
  },
};

export async function readReadiness(
  em: EntityManager,
  product: ProductView,
): Promise<Requirement[]> {
  const ways = waysToAsk({
    keys: await listKeys(em, [product.id]),
    clients: await listClients(em, product.id),
  });
  return checkReadiness({
    ...product,
    ...ways,
    hasActivePrice: await hasBasePrice(em, product.id),
  });
}

export function isReady(requirements: readonly Requirement[]): boolean {
  return requirements.every(({ isMet }) => isMet);
}

export function checklist(
  { slug }: Pick<ProductView, 'slug'>,
  requirements: readonly Requirement[],
): HtmlSafeString {
  return html`<ul class="checklist">
    ${requirements.map(({ code, isMet }) => {
      const words = WORDS[code];
      if (!words) return '';
      return html`<li data-requirement="${code}" data-met="${isMet}">
        <span aria-hidden="true">${isMet ? '\u2713' : '\u2717'}</span>
        ${
          isMet
            ? words.met
            : html`<strong>${words.unmet}:</strong>
                <a href="${productPath(slug)}${words.page}">${words.link}</a>`
        }
      </li>`;
    })}
  </ul>`;
}
