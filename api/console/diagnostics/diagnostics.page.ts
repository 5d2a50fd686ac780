import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Finding, FindingCode } from '../../../domain/catalog/diagnose.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { MOST_PEOPLE, type ChecksOfDay } from '../../../domain/usage/check-count.repository.ts';
import type { DayOfUse } from '../../../domain/usage/history/explain-day.ts';
import { OUTCOMES, type HourOfOutcomes } from '../../../domain/webhooks/deliveries/outcomes.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/words.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';

type Props = {
  product: FramedProduct;
  /** Null for a product that is sold elsewhere, which has no integration. */
  findings: Finding[] | null;
  today: HourOfOutcomes[];
  checks: ChecksOfDay[];
  /** The days with evidence. */
  usage: DayOfUse[];
  keys: KeyView[];
  clients: RegisteredClient[];
};

type Words = { what: string; mend: string; page: string; link: string };

/** The text of each finding, its remedy and the page for it. */
const WORDS: Record<FindingCode, Words> = {
  open_disputes: {
    what: 'Disputes are open',
    mend: 'A buyer disputed a payment with the bank. It has to be answered in time.',
    page: '/disputes',
    link: 'View disputes',
  },
  retrying_deliveries: {
    what: 'Deliveries are being retried',
    mend: 'Their last attempt failed. Check what the endpoint responds.',
    page: '/deliveries?status=retrying',
    link: 'View retries',
  },
  failed_renewals: {
    what: 'Renewals failed',
    mend: 'The last charge of these subscriptions failed. We retry until their grace period ends.',
    page: '/subscribers?status=past_due',
    link: 'View subscribers',
  },
  endpoint_disabled: {
    what: 'A webhook endpoint is disabled',
    mend: 'We keep new events and send none. Enable the endpoint once it works, then recover the held deliveries.',
    page: '/deliveries?status=held',
    link: 'View held deliveries',
  },
  endpoint_failing: {
    what: 'A webhook endpoint is failing',
    mend: 'Check its responses. After five days without a success we disable the endpoint.',
    page: '/deliveries?status=retrying',
    link: 'View retries',
  },
  dead_deliveries: {
    what: 'Deliveries failed',
    mend: 'All attempts failed. Once the endpoint works, retry single deliveries or recover all of them.',
    page: '/deliveries?status=dead',
    link: 'View dead deliveries',
  },
  held_deliveries: {
    what: 'Deliveries are held',
    mend: 'Their endpoint was disabled. Recover the deliveries to send them.',
    page: '/recoveries',
    link: 'Recover deliveries',
  },
  no_way_to_check: {
    what: 'No live API key or OAuth client',
    mend: 'Create a live key for your server, or an OAuth client for sign-in.',
    page: '/keys',
    link: 'API keys',
  },
  no_live_key: {
    what: 'No live API key',
    mend: 'Your server cannot check access in production. If your app only uses sign-in, you need no key.',
    page: '/keys',
    link: 'API keys',
  },
  no_oauth_client: {
    what: 'No OAuth client',
    mend: 'Nobody can sign in to the product, and no usage qualifies.',
    page: '/clients',
    link: 'OAuth clients',
  },
  no_endpoint: {
    what: 'No webhook endpoint',
    mend: 'Your server gets no events about purchases and access. Add an endpoint.',
    page: '/endpoints',
    link: 'Webhooks',
  },
  purchase_not_subscribed: {
    what: 'No enabled endpoint is subscribed to purchase.completed',
    mend: 'Your server gets no event when someone buys the product. Subscribe an endpoint to it.',
    page: '/endpoints',
    link: 'Webhooks',
  },
  key_expiring: {
    what: 'A rotated API key expires soon',
    mend: 'Make sure that your server uses the new key.',
    page: '/keys',
    link: 'API keys',
  },
  client_secret_expiring: {
    what: 'A rotated client secret expires soon',
    mend: 'Make sure that your app uses the new secret.',
    page: '/clients',
    link: 'OAuth clients',
  },
  secret_rotation_ending: {
    what: 'An old webhook secret expires soon',
    mend: 'Make sure that your server verifies with the new secret.',
    page: '/endpoints',
    link: 'Webhooks',
  },
};

export function diagnosticsPage(props: Props): View {
  const { product, findings, today, keys, clients } = props;
  return {
    title: `Diagnostics of ${product.name}`,
    content: html`
      ${productHeading(product, '/diagnostics')}
      <h2>Issues</h2>
      ${findingList(product, findings)}
      <section>
        <h2>Deliveries in the last 24 hours</h2>
        ${outcomes(product, today)}
      </section>
      <section>
        <h2>Usage</h2>
        ${usageTable(props)}
        <p><a href="${productPath(product.slug)}/usage">Usage by month</a></p>
      </section>
      <section>
        <h2>API keys</h2>
        ${keyTable(keys)}
      </section>
      <section>
        <h2>OAuth clients</h2>
        ${clientTable(clients)}
      </section>
    `,
  };
}

function findingList(product: FramedProduct, findings: Finding[] | null): HtmlSafeString {
  if (findings === null) {
    return html`<p class="muted">
      This product is sold elsewhere, so there is nothing to integrate.
    </p>`;
  }
  if (findings.length === 0) return html`<p data-healthy>No issues.</p>`;
  return html`<ul class="findings">
    ${findings.map((finding) => findingRow(product, finding))}
  </ul>`;
}

export function findingRow({ slug }: Pick<FramedProduct, 'slug'>, { code, about, at }: Finding) {
  const { what, mend, page, link } = WORDS[code];
  return html`<li data-finding="${code}">
    <strong>${what}</strong>${about === null ? '' : html`: <span class="id">${about}</span>`}
    ${at === null ? '' : html`<small>(${instant(at)})</small>`}<br />
    ${mend} <a href="${productPath(slug)}${page}">${link}</a>
  </li>`;
}

const LABELS = {
  succeeded: 'succeeded',
  under_way: 'in progress',
  failed: 'dead, held or cancelled',
} as const;

function outcomes({ slug }: FramedProduct, hours: HourOfOutcomes[]) {
  return html`<ul>
      ${OUTCOMES.map((name) => {
        const count = hours.reduce((total, hour) => total + hour[name], 0);
        return html`<li data-outcome="${name}">
          <span class="figure">${count}</span> ${LABELS[name]}
        </li>`;
      })}
    </ul>
    <p><a href="${productPath(slug)}/deliveries">All deliveries</a></p>`;
}

function usageTable({ checks, usage }: Pick<Props, 'checks' | 'usage'>) {
  const used = new Map(usage.map((day) => [day.day, day]));
  return table({
    label: 'Usage by day',
    empty: 'No usage yet.',
    rows: checks,
    columns: [
      { heading: 'Day (UTC)', cell: ({ day }: ChecksOfDay) => day },
      { heading: 'Live checks', cell: (each) => String(each.checks) },
      { heading: 'People checked', cell: (each) => people(each.people) },
      { heading: 'Active people', cell: ({ day }) => String(used.get(day)?.people ?? 0) },
      { heading: 'Qualifying', cell: ({ day }) => String(used.get(day)?.reasons.qualified ?? 0) },
    ],
  });
}

function people(count: number): string {
  return count < MOST_PEOPLE ? String(count) : `${MOST_PEOPLE.toLocaleString('en')} or more`;
}

function keyTable(keys: KeyView[]) {
  return table({
    label: 'API keys',
    empty: 'No API keys.',
    rows: keys,
    columns: [
      { heading: 'Name', cell: ({ name }: KeyView) => name },
      {
        heading: 'Key',
        cell: ({ mode, lastFour }) => html`<code>gk_${mode}_...${lastFour}</code>`,
      },
      {
        heading: 'Last used',
        cell: ({ lastUsedAt }) => (lastUsedAt ? instant(lastUsedAt) : 'Never'),
      },
    ],
  });
}

function clientTable(clients: RegisteredClient[]) {
  return table({
    label: 'OAuth clients',
    empty: 'No OAuth clients.',
    rows: clients,
    columns: [
      { heading: 'Name', cell: ({ name }: RegisteredClient) => name },
      { heading: 'Kind', cell: ({ kind }) => sentenceCase(kind) },
      { heading: 'State', cell: ({ isDisabled }) => (isDisabled ? 'Disabled' : 'Enabled') },
    ],
  });
}
