import { html, type HtmlSafeString } from '@prairielearn/html';
import { countAlerts } from '../../domain/alerts/alert.repository.ts';
import {
  countProducts,
  type ProductCounts,
} from '../../domain/catalog/product-search.repository.ts';
import {
  countPeople,
  listPeople,
  type PeopleCounts,
  type PersonLine,
} from '../../domain/identity/operators/people-list.repository.ts';
import { countInReview } from '../../domain/pool/operator-views/periods.repository.ts';
import { listClients } from '../../domain/oauth/clients/oauth-client.repository.ts';
import { listCredentialIds } from '../../domain/identity/passkeys/passkey.repository.ts';
import { page } from '../http/response.ts';
import { secondPasskeyHint } from '../account/settings/security.page.ts';
import { defineRoute, OPERATOR_PAGE } from '../http/route.ts';
import { answersOf } from './people/answers.page.ts';
import { findForm } from './running/find.page.ts';
import { failingNow, readFailing, type Failing } from './running/failing.ts';
import {
  ALERTS,
  AUDIT,
  BUILDERS,
  FIRST_PARTY,
  MONEY,
  OPERATOR,
  operatorPage,
  POOL,
  PRODUCTS,
} from './operator.page.ts';

const showOperator = defineRoute({
  ...OPERATOR_PAGE,
  path: OPERATOR,
  summary: 'Show the operator overview',
  input: {},
  async handler(context) {
    const em = context.services.database.em();
    const [people, waiting, products, clients, alerts, passkeys, failing, inReview] =
      await Promise.all([
        countPeople(em),
        listPeople(em, { shown: 'waiting', handle: '', after: null }),
        countProducts(em),
        listClients(em, null),
        countAlerts(em),
        listCredentialIds(em, context.currentUser.personId),
        readFailing(em),
        countInReview(em),
      ]);
    const open = alerts.reduce((sum, alert) => sum + alert.open, 0);
    const counts = { people, products, clients: clients.length, alerts: open, failing, inReview };
    const requests = waiting.people.slice(0, REQUESTS_SHOWN);
    return page(context, overviewPage({ ...counts, requests }, secondPasskeyHint(passkeys.length)));
  },
});

/** The requests that wait longest; the list of builders has all. */
const REQUESTS_SHOWN = 5;

type Counts = {
  people: PeopleCounts;
  requests: PersonLine[];
  products: ProductCounts;
  clients: number;
  alerts: number;
  failing: Failing;
  /** Months of the pool that wait for an approval. */
  inReview: number;
};

function overviewPage(counts: Counts, hint: HtmlSafeString | '') {
  const { people, requests, products, clients, alerts, failing, inReview } = counts;
  const content = html`${hint} ${findForm('')} ${failingNow(failing, alerts)}
    <ul class="cards">
      ${card('Builders', [
        [people.waiting, 'waiting for verification', `${BUILDERS}?show=waiting`],
        [people.verified, 'verified', `${BUILDERS}?show=verified`],
      ])}
      ${card('People', [[people.everybody, 'with an account', `${BUILDERS}?show=everybody`]])}
      ${card('Products', [
        [products.listed, 'listed', `${PRODUCTS}?state=listed`],
        [products.unlisted, 'unlisted', `${PRODUCTS}?state=unlisted`],
        [products.draft, 'draft', `${PRODUCTS}?state=draft`],
      ])}
      ${card('Creator pool', [[inReview, 'in review', POOL]])}
      ${card('Money', [[null, 'Fee and currencies', MONEY]])}
      ${card('Sign-in', [[clients, 'first-party clients', FIRST_PARTY]])}
      ${alerts > 0 ? '' : card('Alerts', [[alerts, 'open', ALERTS]])}
      ${card('Audit trail', [[null, 'View audit trail', AUDIT]])}
    </ul>
    ${verificationRequests(requests)}`;
  return operatorPage({ section: OPERATOR, title: 'Operator', content });
}

function verificationRequests(requests: PersonLine[]): HtmlSafeString | '' {
  if (requests.length === 0) return '';
  return html`<section>
    <h2>Verification requests</h2>
    ${requests.map(
      (person) =>
        html`<article data-request="${person.handle}">
          <h3><a href="/operator/people/${person.id}">${person.displayName}</a></h3>
          ${answersOf(person)}
        </article>`,
    )}
    <p><a href="${BUILDERS}?show=waiting">Decide on requests</a></p>
  </section>`;
}

type Figure = [count: number | null, words: string, path?: string];

function card(title: string, figures: Figure[]) {
  return html`<li>
    <article>
      <h2>${title}</h2>
      ${figures.map(
        ([count, words, path]) =>
          html`<p data-count="${words}">
            ${count === null ? '' : html`<strong class="figure">${count}</strong>`}
            ${path ? html`<a href="${path}">${words}</a>` : words}
          </p>`,
      )}
    </article>
  </li>`;
}

export const routes = [showOperator];
