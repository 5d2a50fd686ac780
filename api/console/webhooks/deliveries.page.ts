import { html, type HtmlSafeString } from '@prairielearn/html';
import { DELIVERY_STATUSES } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import type {
  DeliveryLine,
  DeliveryPage,
} from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import type { Outcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { OUTCOMES } from '../../../domain/webhooks/deliveries/outcomes-by-hour.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import type { View } from '../../http/route.ts';
import { barChart } from '../../html/chart.ts';
import { field, filterForm, INSTANT, searchField, select } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { problemNotice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { isFiltered, type DeliveryQuery } from './delivery-query.ts';
import { answerOf, exampleMark, inMilliseconds, statusMark } from './delivery-labels.ts';

type Props = {
  product: FramedProduct;
  endpoints: EndpointOption[];
  outcomes: Outcomes;
  found: DeliveryPage;
  query: DeliveryQuery;
  /** The link to their workflows in Temporal, for operators. */
  workflows: HtmlSafeString | '';
};

export function deliveriesPage(props: Props): View {
  const { product, endpoints, outcomes, found, query, workflows } = props;
  const path = `${productPath(product.slug)}/deliveries`;
  const { before, id, ...filter } = query;
  return {
    title: `Deliveries of ${product.name}`,
    ...productFrame(product, '/deliveries', 'Webhook deliveries'),
    content: html`
      ${chart(outcomes)}
      <p><a href="${productPath(product.slug)}/recoveries">Recover deliveries</a></p>
      ${workflows} ${searchForm(path, id)} ${filters({ path, endpoints, query })}
      ${table({
        label: 'Webhook deliveries',
        rows: found.lines,
        empty: emptyText({ endpoints, query }),
        columns: {
          Created: ({ createdAt }: DeliveryLine) => instant(createdAt),
          Event: ({ deliveryId, eventName, ...line }) =>
            html`<a href="${path}/${deliveryId}" data-delivery="${deliveryId}">${eventName}</a>
              ${exampleMark(line)}`,
          Status: statusCell,
          Response: ({ lastStatusCode, lastError }) => answerOf(lastStatusCode, lastError),
          Duration: ({ durationMs }) => inMilliseconds(durationMs),
          Attempts: ({ attempts }) => String(attempts),
          Endpoint: ({ url }) => html`<small class="id">${url}</small>`,
        },
        pages: { path, query: filter, before, next: found.next },
      })}
      <p class="muted"><small>Finished deliveries are kept for 90 days.</small></p>
    `,
  };
}

const LABELS = {
  succeeded: 'Succeeded',
  under_way: 'In progress',
  failed: 'Dead, held or cancelled',
} as const;

function chart({ hours, isPartial }: Outcomes): HtmlSafeString {
  const sums = OUTCOMES.map((name) => hours.reduce((total, hour) => total + hour[name], 0));
  const counts = OUTCOMES.map((name, at) => `${LABELS[name].toLowerCase()} ${sums[at]}`);
  return html`${barChart({
    id: 'outcomes',
    title: `Deliveries in the last ${hours.length} hours, by outcome`,
    summary: `By hour of creation: ${counts.join(', ')}.`,
    series: OUTCOMES.map((name) => LABELS[name]),
    bars: hours.map((hour) => ({
      label: `${hour.at.toISOString().slice(5, 16).replace('T', ' ')} UTC`,
      values: OUTCOMES.map((name) => hour[name]),
    })),
    unit: 'Hour',
  })}
  ${isPartial ? html`<p class="muted">Only the newest deliveries are counted.</p>` : ''}`;
}

function statusCell({ status, dueAt }: DeliveryLine) {
  const next =
    status === 'retrying' && dueAt ? html`<small>next attempt ${instant(dueAt)}</small>` : '';
  return html`${statusMark(status)} ${next}`;
}

function emptyText({ endpoints, query }: Pick<Props, 'endpoints' | 'query'>): string {
  if (isFiltered(query) || query.before) return 'No deliveries match this filter.';
  return endpoints.length === 0
    ? 'No deliveries yet. This product has no webhook endpoint.'
    : 'No deliveries yet.';
}

/** A receiver logs the id that the event had: it is that of the delivery. */
function searchForm(path: string, id: string): HtmlSafeString {
  return html`<search>
    ${
      id === ''
        ? ''
        : problemNotice('No delivery of this product has this ID. Deliveries are kept for 90 days.')
    }
    <form class="search" method="get" action="${path}">
      ${searchField({
        label: 'Event or delivery ID',
        name: 'id',
        value: id,
        maxLength: 64,
        placeholder: 'evt_...',
        isRequired: true,
      })}
      <button class="outline" aria-label="Find a delivery">Find</button>
    </form>
  </search>`;
}

type Filter = { path: string } & Pick<Props, 'endpoints' | 'query'>;

function filters({ path, endpoints, query }: Filter) {
  const { status, event, endpoint, since, until } = query;
  const any = { value: '', label: 'Any' };
  const events = EVENT_NAMES.map((name) => ({ value: name, label: name }));
  const urls = endpoints.map(({ endpointId, url }) => ({ value: endpointId, label: url }));
  return filterForm({
    path,
    fields: [
      select({
        label: 'Status',
        name: 'status',
        value: status,
        options: [
          any,
          ...DELIVERY_STATUSES.map((value) => ({ value, label: sentenceCase(value) })),
        ],
      }),
      select({ label: 'Event', name: 'event', value: event, options: [any, ...events] }),
      select({ label: 'Endpoint', name: 'endpoint', value: endpoint, options: [any, ...urls] }),
      field({ label: 'From (UTC)', name: 'since', value: since, ...INSTANT }),
      field({ label: 'Until (UTC)', name: 'until', value: until, ...INSTANT }),
    ],
    isFiltered: isFiltered(query),
  });
}
