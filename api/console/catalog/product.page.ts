import { html } from '@prairielearn/html';
import type { Issue } from '../../../domain/catalog/diagnose.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { Requirement } from '../../../domain/billing/checkout/sale-requirements.ts';
import type { DeliveryView } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import type { EndpointView } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { answerOf, statusMark } from '../webhooks/delivery-labels.ts';
import { issueRow } from '../requests/issue-row.ts';
import { DELIVERY_WORDS } from './listing.page.ts';
import { checklist } from './sale-checklist.ts';
import { describeRoles, productFrame, productPath } from '../console-frame.ts';

type Props = {
  product: ManagedProduct;
  requirements: Requirement[];
  keys: KeyView[];
  endpoints: EndpointView[];
  deliveries: DeliveryView[];
  /** What is failing now. */
  failing: Issue[];
  /** Whether there is a team that it may go to. */
  isTransferable: boolean;
};

export function overviewPage(props: Props): View {
  const { product, deliveries } = props;
  return {
    title: product.name,
    ...productFrame(product, '', 'Overview'),
    content: html`
      ${failingNow(props)}
      <p>${product.tagline}</p>
      <dl class="facts">
        <dt>Owner</dt>
        <dd>${product.sellerName}</dd>
        <dt>Your role</dt>
        <dd>${sentenceCase(describeRoles(product.roles))}</dd>
        <dt>Delivery</dt>
        <dd>${DELIVERY_WORDS[product.delivery]}</dd>
        <dt>Store</dt>
        <dd>
          <a href="/p/${product.slug}">Product page</a>,
          <a href="${productPath(product.slug)}/share">links to share</a>
        </dd>
      </dl>
      ${salesSteps(props)}
      <section>
        <h2>API keys</h2>
        ${keyList(props.keys)}
      </section>
      <section>
        <h2>Webhook endpoints</h2>
        ${endpointList(props.endpoints)}
      </section>
      <section>
        <h2>Recent deliveries</h2>
        ${deliveryTable(product, deliveries)}
        <p><a href="${productPath(product.slug)}/deliveries">All deliveries</a></p>
      </section>
      ${
        props.isTransferable
          ? html`<section>
              <h2>Ownership</h2>
              <p><a href="${productPath(product.slug)}/transfer">Transfer to a team</a></p>
            </section>`
          : ''
      }
    `,
  };
}

function failingNow({ product, failing }: Props) {
  if (failing.length === 0) return '';
  return html`<section data-failing>
    <h2>Failing now</h2>
    <ul class="issues">
      ${failing.map((issue) => issueRow(product, issue))}
    </ul>
  </section>`;
}

/** Ticks nothing beside something that fails: only what is still to be done is shown. */
function salesSteps({ product, requirements, failing }: Props) {
  const isWell = failing.length === 0;
  const shown = isWell ? requirements : requirements.filter(({ isMet }) => !isMet);
  if (shown.length === 0) return '';
  return html`<section>
    <h2>Selling</h2>
    ${checklist(product, shown)}
  </section>`;
}

function keyList(keys: KeyView[]) {
  if (keys.length === 0) return emptyState('No API keys.');
  return html`<ul>
    ${keys.map(
      ({ name, mode, lastFour, expiresAt }) =>
        html`<li>
          ${name} <code>gk_${mode}_...${lastFour}</code>
          ${expiresAt === null ? '' : html`expires ${instant(expiresAt)}`}
        </li>`,
    )}
  </ul>`;
}

function endpointList(endpoints: EndpointView[]) {
  if (endpoints.length === 0) return emptyState('No endpoints.');
  return html`<ul>
    ${endpoints.map(
      ({ url, events, disabledAt }) =>
        html`<li>
          <span class="id">${url}</span>${disabledAt === null ? '' : ' (disabled)'}<br />
          <small class="muted">${events.join(', ')}</small>
        </li>`,
    )}
  </ul>`;
}

function deliveryTable({ slug }: ManagedProduct, deliveries: DeliveryView[]) {
  return table({
    label: 'Recent deliveries',
    columns: {
      Created: ({ createdAt }: DeliveryView) => instant(createdAt),
      Event: ({ eventName }) => eventName,
      Status: (each) => deliveryStatus(slug, each),
      Response: ({ lastStatusCode, lastError }) => answerOf(lastStatusCode, lastError),
      Attempts: ({ attempts }) => String(attempts),
    },
    rows: deliveries,
    empty: 'No deliveries yet.',
  });
}

function deliveryStatus(slug: string, { deliveryId, status }: DeliveryView) {
  return html`<a href="${productPath(slug)}/deliveries/${deliveryId}" data-delivery="${deliveryId}"
    >${statusMark(status)}</a
  >`;
}
