import { html, type HtmlSafeString } from '@prairielearn/html';
import { MOST_NAMED } from '../../../domain/search/named-places.repository.ts';
import type { Place } from '../../../domain/search/found-thing.ts';
import { LONGEST_REFERENCE } from '../../../domain/search/pasted-reference.ts';
import { productPath } from '../../console/console-frame.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField } from '../../html/parts/field.ts';
import { card } from '../../html/parts/card.ts';
import type { View } from '../../http/route.ts';
import { FIND, FIRST_PARTY, OPERATOR, operatorPage } from '../operator.page.ts';
import { periodPath } from '../money/pool.page.ts';

const KINDS: Record<Place['is'], string> = {
  person: 'Person',
  product: 'Product',
  delivery: 'Delivery',
  cohort: 'Retrying deliveries of an endpoint',
  purchase: 'Purchase',
  endpoint: 'Webhook endpoint',
  recovery: 'Recovery',
  key: 'API key',
  client: 'OAuth client',
  first_party: 'First-party client',
  request: 'API request',
  access: 'Access',
  pool_period: 'Month of the creator pool',
  pool_payout: 'Payout of the creator pool',
};

/** The page of a thing. */
export function placePath(place: Place): string {
  if (!('ref' in place)) return operatorPlacePath(place);
  const { id } = place;
  const pages: Record<typeof place.is, string> = {
    product: '',
    delivery: `/deliveries/${id}`,
    cohort: `/deliveries?status=retrying&endpoint=${id}`,
    purchase: `/purchases/${id}`,
    endpoint: `/endpoints/${id}`,
    recovery: `/recoveries/${id}`,
    key: '/keys',
    client: '/clients',
    request: `/requests?request=${id}`,
    access: '/grants',
  };
  return productPath(place.ref) + pages[place.is];
}

function operatorPlacePath(place: Exclude<Place, { ref: string }>): string {
  if (place.is === 'pool_payout') return periodPath(place.periodId);
  if (place.is === 'pool_period') return periodPath(place.id);
  return place.is === 'person' ? `/operator/people/${place.id}` : FIRST_PARTY;
}

/** Returns the path at which the thing with an id is found, without a look-up now. */
export function findPath(reference: string): string {
  return `${FIND}?${new URLSearchParams({ q: reference })}`;
}

/** What was pasted by mistake is not shown again. */
const SECRET = /(gk_live|gk_test|gat|gac|gcs|whsec)_/;

/** The search by any public id, of the operator's overview and of its results. */
export function findForm(typed: string): HtmlSafeString {
  const field = searchField({
    label: 'Find by ID or name',
    name: 'q',
    value: SECRET.test(typed) ? '' : typed,
    maxLength: LONGEST_REFERENCE,
    placeholder: 'Find by ID, name, email, handle, slug or the last four characters of a key',
    isRequired: true,
    isBare: true,
  });
  return html`<div class="finder">
    ${filterForm({ path: FIND, fields: [field], button: 'Find' })}
  </div>`;
}

const IDS = html`IDs begin with evt_, pay_, sub_, ch_, re_, dp_, grant_, gcl_ or req_, or are a
UUID. A month of the creator pool is found by 2026-11:EUR, its payout by pool-.`;

/** Several things, or none. */
export function foundPage({ typed, places }: { typed: string; places: Place[] }): View {
  const content = html`${findForm(typed)}
  ${
    places.length === 0
      ? html`<div role="status">
          ${card({
            body: html`<p><strong>No match.</strong></p>
              <p class="muted">${IDS}</p>`,
          })}
        </div>`
      : card({
          rows: html`<ul class="rows">
            ${places.map(
              (place) =>
                html`<li>
                  <span
                    ><a href="${placePath(place)}" data-found="${place.is}">${place.label}</a></span
                  >
                  <small class="muted">${KINDS[place.is]}</small>
                </li>`,
            )}
          </ul>`,
          ...(places.length < MOST_NAMED
            ? {}
            : { foot: `Only the first ${MOST_NAMED}: type more of the name.` }),
        })
  }`;
  return operatorPage({ section: OPERATOR, title: 'Find', content });
}
