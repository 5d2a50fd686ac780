import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  DELIVERY_STATUSES,
  FAILING_STATUSES,
  type FailingCounts,
} from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import type { DeliveryPage } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { MOST_COUNTED } from '../../../domain/webhooks/deliveries/failing-deliveries.repository.ts';
import { RECOVERY_DAYS } from '../../../domain/webhooks/recoveries/recovery.ts';
import type { Outcomes } from '../../../domain/webhooks/deliveries/outcomes-by-hour.repository.ts';
import type { EndpointOption } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import { DAY_MS, toDay, writeDay } from '../../../domain/shared/instant.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { searchField, select } from '../../html/parts/field.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { problemNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { note } from '../../html/parts/note.ts';
import { writeCapped } from '../../html/numbers.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { isFiltered, type DeliveryQuery } from './delivery-query.ts';
import { shownAddress, statusWord } from './delivery-labels.ts';
import { deliveryColumns } from './delivery-table.ts';
import { wayOut, writeFailing } from './endpoint-state.ts';
import { outcomeChart } from './outcome-chart.ts';

type Props = {
  product: FramedProduct;
  endpoints: EndpointOption[];
  outcomes: Outcomes;
  /** Is null where nothing fails. */
  failing: FailingCounts | null;
  found: DeliveryPage;
  query: DeliveryQuery;
  now: Date;
  /** The link to their workflows in Temporal, for operators. */
  workflows: HtmlSafeString | '';
};

export function deliveriesPage(props: Props): View {
  const { product, outcomes, query, workflows } = props;
  const path = productPath(product.slug);
  const recoveries = `${path}/recoveries`;
  return {
    title: `Deliveries of ${product.name}`,
    ...productFrame(product, '/deliveries', 'Deliveries', {
      actions: button({ text: 'Recover deliveries', icon: 'history', href: recoveries }),
    }),
    content: html`
      ${trouble(props, recoveries)}
      ${
        query.id === ''
          ? ''
          : problemNotice(
              'No delivery of this product has this ID. Deliveries are kept for 90 days.',
            )
      }
      ${isBlank(props) ? blank(product) : html`${outcomeChart(outcomes, 'hour')} ${list(props)}`}
      ${workflows}
    `,
  };
}

function isBlank({ endpoints, found, query }: Props): boolean {
  return endpoints.length === 0 && found.lines.length === 0 && !isFiltered(query) && !query.before;
}

function blank(product: FramedProduct): HtmlSafeString {
  return emptyState({
    title: 'Nothing is sent yet',
    sentence: 'No deliveries yet. This product has no webhook endpoint.',
    link: { path: `${productPath(product.slug)}/endpoints`, label: 'Add an endpoint' },
  });
}

function trouble({ failing }: Props, recoveries: string): HtmlSafeString | '' {
  if (failing === null) return '';
  return note({
    tone: 'bad',
    sentence: `Failing in the last ${RECOVERY_DAYS} days: ${writeFailing(failing)}.`,
    more: wayOut(failing, recoveries),
  });
}

function list(props: Props): HtmlSafeString {
  const { product, endpoints, found, query, now } = props;
  const path = `${productPath(product.slug)}/deliveries`;
  const { before, id: _, ...filter } = query;
  return listCard({
    tabs: stateTabs(path, props),
    filter: filters({ path, endpoints, query, now }),
    unfiltered: isFiltered(query) ? path : null,
    label: 'Webhook deliveries',
    rows: found.lines,
    columns: deliveryColumns({
      path,
      now,
      showsEndpoint: endpoints.length > 1 && query.endpoint === '',
      isByDay: true,
    }),
    groupOf: ({ createdAt }) => writeDay(createdAt),
    pages: { path, query: filter, before, next: found.next },
    empty: {
      title: 'No deliveries yet',
      sentence: 'A delivery appears here as soon as an event is sent to your endpoint.',
    },
    foot: 'Finished deliveries are kept for 90 days.',
  });
}

function stateTabs(path: string, { query, failing }: Props) {
  const { before: _before, id: _id, status: current, ...filter } = query;
  const to = (status: string) => pathWith(path, { ...filter, status });
  // The counts are those of all endpoints and events: beside a narrower list they would mislead.
  const counted = isFiltered({ ...query, status: '' }) ? null : failing;
  const counts = new Map<string, string>(
    FAILING_STATUSES.flatMap((status) =>
      counted === null || counted[status] === 0
        ? []
        : [[status, writeCapped(counted[status], MOST_COUNTED)]],
    ),
  );
  const states = DELIVERY_STATUSES.map((status) => {
    const count = counts.get(status);
    return { path: to(status), label: statusWord(status), ...(count !== undefined && { count }) };
  });
  return {
    label: 'State of deliveries',
    tabs: [{ path: to(''), label: 'All' }, ...states],
    current: to(current),
  };
}

type Filter = { path: string } & Pick<Props, 'endpoints' | 'query' | 'now'>;

function filters({ path, endpoints, query, now }: Filter) {
  const { id, status, event, endpoint, since, until } = query;
  const events = EVENT_NAMES.map((name) => ({ value: name, label: name }));
  const urls = endpoints.map(({ endpointId, url }) => ({
    value: endpointId,
    label: shownAddress(url),
  }));
  return filterForm({
    path,
    fields: [
      // A receiver logs the id that the event had: it is that of the delivery.
      searchField({
        label: 'Event or delivery ID',
        name: 'id',
        value: id,
        maxLength: 64,
        placeholder: 'evt_...',
        isBare: true,
      }),
      select({
        label: 'Event',
        name: 'event',
        value: event,
        options: [{ value: '', label: 'Every event' }, ...events],
        isBare: true,
      }),
      ...(endpoints.length > 1 || endpoint !== ''
        ? [
            select({
              label: 'Endpoint',
              name: 'endpoint',
              value: endpoint,
              options: [{ value: '', label: 'Every endpoint' }, ...urls],
              isBare: true,
            }),
          ]
        : []),
      select({
        label: 'Created since',
        name: 'since',
        value: since,
        options: spans(since, now),
        isBare: true,
      }),
      kept({ status, until }),
    ],
    isFiltered: isFiltered(query),
  });
}

const SPANS = [
  { days: 1, label: 'Today (UTC)' },
  { days: 7, label: 'Last 7 days' },
  { days: 28, label: 'Last 28 days' },
];

/** Whole days of UTC, so that a choice stays the same for a day; and a start that an address has. */
function spans(since: string, now: Date) {
  const options = SPANS.map(({ days, label }) => {
    const day = toDay(new Date(now.getTime() - (days - 1) * DAY_MS));
    return { value: `${day}T00:00`, label };
  });
  const isKnown = since === '' || options.some(({ value }) => value === since);
  const other = isKnown ? [] : [{ value: since, label: `Since ${since}` }];
  return [{ value: '', label: 'All time' }, ...other, ...options];
}

/** What has no field of its own. */
function kept(values: Pick<DeliveryQuery, 'status' | 'until'>): HtmlSafeString {
  return html`${Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
}
