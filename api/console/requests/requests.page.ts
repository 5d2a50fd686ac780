import { html, type HtmlSafeString } from '@prairielearn/html';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import type {
  RequestLine,
  RequestPage,
} from '../../../domain/request-log/request-log.repository.ts';
import {
  isRefusal,
  MOST_OF_CREDENTIAL,
  MOST_OF_DAY,
} from '../../../domain/request-log/log-sampling.ts';
import type { View } from '../../http/route.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField, select } from '../../html/parts/field.ts';
import { writeCount } from '../../html/numbers.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { cutId } from '../../html/copy.ts';
import { shortInstant } from '../../html/dates.ts';
import { pathWith } from '../../html/parts/paging.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { requestPill, shortRoute } from './request-labels.ts';

export const STATUS_CLASSES = ['2xx', '4xx', '5xx'] as const;

type Query = {
  status: '' | (typeof STATUS_CLASSES)[number];
  credential: string;
  request: string;
  before: string | null;
};

type Props = {
  product: FramedProduct;
  keys: KeyView[];
  clients: RegisteredClient[];
  found: RequestPage;
  query: Query;
  now: Date;
};

export function requestsPage({ product, found, query, now, ...props }: Props): View {
  const path = `${productPath(product.slug)}/requests`;
  const { before, ...filter } = query;
  return {
    title: `Requests of ${product.name}`,
    ...productFrame(product, '/requests', 'Requests'),
    content: listCard({
      tabs: statusTabs(path, query),
      filter: filters({ path, query, ...props }),
      unfiltered: isFiltered(query) ? path : null,
      label: 'API requests',
      columns: columnsOf(now),
      rows: found.lines,
      pages: { path, query: filter, before, next: found.next },
      empty: {
        title: 'No requests yet',
        sentence: 'They appear here when your server asks for the first time.',
      },
      foot: html`<p>
        What your server and your app asked with this product's API keys and clients, a second or
        two after the response, kept for 7 days: at most ${MOST_OF_CREDENTIAL} requests a minute of
        each key or client, and ${writeCount(MOST_OF_DAY.successes + MOST_OF_DAY.refusals)} a day of
        the product. When there are more, refusals are kept first. Of a field at fault the name is
        kept. Bodies, queries, IP addresses and credentials are never kept. A request without a
        working credential appears here only where the credential once worked.
      </p>`,
    }),
  };
}

function statusTabs(path: string, query: Query) {
  const { before: _, status: current, ...filter } = query;
  const to = (status: string) => pathWith(path, { ...filter, status });
  return {
    label: 'Status of requests',
    tabs: [
      { path: to(''), label: 'All' },
      ...STATUS_CLASSES.map((status) => ({ path: to(status), label: LABELS[status] })),
    ],
    current: to(current),
  };
}

const columnsOf = (now: Date) => ({
  Request: ({ route }: RequestLine) => html`<code class="id">${shortRoute(route)}</code>`,
  Status: { cell: ({ status }: RequestLine) => requestPill(status), onPhone: 'state' as const },
  Remark: remarkCell,
  'Key or client': credentialCell,
  'Request ID': ({ requestId }: RequestLine) => html`<small>${cutId(requestId)}</small>`,
  'Time (UTC)': { cell: ({ at }: RequestLine) => shortInstant(at, now, 'second'), isNumber: true },
});

const OWN_TEAM = html`<small>own team: does not qualify</small>`;

/** The error of a refusal and its field; or why a day does not qualify. */
function remarkCell({ status, errorCode, param, isOwnTeam }: RequestLine): HtmlSafeString | string {
  if (!isRefusal(status)) return isOwnTeam ? OWN_TEAM : '';
  const field = param === null ? '' : html` <small>field <code>${param}</code></small>`;
  return errorCode === null ? field : html`<code class="id">${errorCode}</code>${field}`;
}

function credentialCell({ keyName, keyMode, keyLastFour, clientName }: RequestLine) {
  if (keyName === null) return html`${clientName ?? 'A deleted credential'} <small>Client</small>`;
  return html`${keyName} <small><code>gk_${keyMode}_...${keyLastFour}</code></small>`;
}

function isFiltered({ status, credential, request, before }: Query): boolean {
  return Boolean(status || credential || request || before);
}

type Filter = { path: string } & Pick<Props, 'keys' | 'clients' | 'query'>;

const LABELS = {
  '2xx': 'Successful',
  '4xx': 'Refused',
  '5xx': 'Our fault',
} as const;

function filters({ path, keys, clients, query }: Filter): HtmlSafeString {
  const any = { value: '', label: 'Every key and client' };
  const credentials = [
    ...keys.map(({ keyId, name, lastFour }) => ({
      value: keyId,
      label: `${name} (...${lastFour})`,
    })),
    ...clients.map(({ id, name }) => ({ value: id, label: `${name} (client)` })),
  ];
  const isListed = credentials.some(({ value }) => value === query.credential);
  const other = isListed ? [] : [{ value: query.credential, label: 'A revoked credential' }];
  return filterForm({
    path,
    fields: [
      html`${searchField({
        label: 'Request ID',
        name: 'request',
        value: query.request,
        maxLength: 28,
        placeholder: 'req_...',
        isBare: true,
      })}
      ${query.status === '' ? '' : html`<input type="hidden" name="status" value="${query.status}" />`}`,
      select({
        label: 'Key or client',
        name: 'credential',
        value: query.credential,
        options: [any, ...(query.credential === '' ? [] : other), ...credentials],
        isBare: true,
      }),
    ],
    isFiltered: isFiltered(query),
  });
}
