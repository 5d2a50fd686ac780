import { html, type HtmlSafeString } from '@prairielearn/html';
import { instantToTheSecond } from '../../html/layout.ts';
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
import { filterForm, searchField, select } from '../../html/form.ts';
import { table } from '../../html/table.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';

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
};

export function requestsPage({ product, found, query, ...props }: Props): View {
  const path = `${productPath(product.slug)}/requests`;
  const { before, ...filter } = query;
  return {
    title: `Requests of ${product.name}`,
    ...productFrame(product, '/requests', 'API requests'),
    content: html`
      <p>
        What your server and your app asked with this product's API keys and OAuth clients, a second
        or two after the response. A request without a working credential stands here only where the
        credential once worked: a revoked or rotated key, an expired token.
      </p>
      ${filters({ path, query, ...props })}
      ${table({
        label: 'API requests',
        columns: COLUMNS,
        rows: found.lines,
        empty: isFiltered(query) ? 'No requests match this filter.' : 'No requests yet.',
        pages: { path, query: filter, before, next: found.next },
      })}
      <p class="muted">
        <small
          >Kept for 7 days: at most ${MOST_OF_CREDENTIAL} requests a minute of each key or client,
          and ${(MOST_OF_DAY.successes + MOST_OF_DAY.refusals).toLocaleString('en-US')} a day of the
          product. When there are more, refusals are kept first. Of a field at fault the name is
          kept. Bodies, queries, IP addresses and credentials are never kept.</small
        >
      </p>
    `,
  };
}

const COLUMNS = {
  Time: ({ at }: RequestLine) => instantToTheSecond(at),
  Status: statusCell,
  Request: ({ route }: RequestLine) => html`<code>${route}</code>`,
  Credential: credentialCell,
  'Request ID': ({ requestId }: RequestLine) => html`<code class="id">${requestId}</code>`,
};

const OWN_TEAM = html`<small>own team: does not qualify</small>`;

function statusCell({ status, errorCode, param, isOwnTeam }: RequestLine): HtmlSafeString {
  if (!isRefusal(status)) return html`${status} ${isOwnTeam ? OWN_TEAM : ''}`;
  return html`<strong>${status}</strong>
    ${errorCode === null ? '' : html`<code>${errorCode}</code>`}
    ${param === null ? '' : html`<small>field <code>${param}</code></small>`}`;
}

function credentialCell({ keyName, keyMode, keyLastFour, clientName }: RequestLine) {
  if (keyName === null) return html`${clientName ?? 'A deleted credential'} <small>client</small>`;
  return html`${keyName} <small><code>gk_${keyMode}_...${keyLastFour}</code></small>`;
}

function isFiltered({ status, credential, request, before }: Query): boolean {
  return Boolean(status || credential || request || before);
}

type Filter = { path: string } & Pick<Props, 'keys' | 'clients' | 'query'>;

const LABELS = {
  '2xx': '2xx, successful',
  '4xx': '4xx, refused',
  '5xx': '5xx, our fault',
} as const;

function filters({ path, keys, clients, query }: Filter): HtmlSafeString {
  const any = { value: '', label: 'Any' };
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
      select({
        label: 'Status',
        name: 'status',
        value: query.status,
        options: [any, ...STATUS_CLASSES.map((value) => ({ value, label: LABELS[value] }))],
      }),
      select({
        label: 'Key or client',
        name: 'credential',
        value: query.credential,
        options: [any, ...(query.credential === '' ? [] : other), ...credentials],
      }),
      searchField({ label: 'Request ID', name: 'request', value: query.request, maxLength: 28 }),
    ],
    isFiltered: isFiltered(query),
  });
}
