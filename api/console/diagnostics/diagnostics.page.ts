import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Finding, FindingCode } from '../../../domain/catalog/diagnose.ts';
import type { KeyView } from '../../../domain/catalog/keys/key-list.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/client-console.repository.ts';
import { MOST_PEOPLE, type UsageOfDay } from '../../../domain/usage/product-usage.repository.ts';
import { OUTCOMES, type HourOfOutcomes } from '../../../domain/webhooks/deliveries/outcomes.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';

type Props = {
  product: FramedProduct;
  /** Null for a product that is sold elsewhere: it has nothing to integrate here. */
  findings: Finding[] | null;
  today: HourOfOutcomes[];
  usage: UsageOfDay[];
  keys: KeyView[];
  clients: RegisteredClient[];
};

type Words = { what: string; mend: string; page: string; link: string };

/** What is wrong, how to mend it, and where. */
const WORDS: Record<FindingCode, Words> = {
  endpoint_disabled: {
    what: 'A webhook endpoint is disabled',
    mend: 'Events are kept for it and not sent. Enable it once it works, then recover what was held.',
    page: '/deliveries?status=held',
    link: 'What is held',
  },
  endpoint_failing: {
    what: 'A webhook endpoint fails, and nothing has succeeded since',
    mend: 'See what it answers. After five days of nothing but failures it is disabled.',
    page: '/deliveries?status=retrying',
    link: 'What is retried',
  },
  dead_deliveries: {
    what: 'Deliveries are dead',
    mend: 'All attempts have failed. Once the endpoint works, retry them one by one or recover them all.',
    page: '/deliveries?status=dead',
    link: 'What is dead',
  },
  held_deliveries: {
    what: 'Deliveries are held',
    mend: 'They were made while their endpoint was disabled, and are sent when they are recovered.',
    page: '/recoveries',
    link: 'Recover',
  },
  no_way_to_check: {
    what: 'Nothing can ask who has access: no live key and no OAuth client',
    mend: 'Make a live key for your server, or register an OAuth client for sign-in.',
    page: '/keys',
    link: 'API keys',
  },
  no_live_key: {
    what: 'No live key',
    mend: 'Your server cannot check access in production. It needs none where your app only uses sign-in.',
    page: '/keys',
    link: 'API keys',
  },
  no_oauth_client: {
    what: 'No OAuth client',
    mend: 'Nobody can sign in to the product, and no use of it qualifies.',
    page: '/clients',
    link: 'OAuth clients',
  },
  no_endpoint: {
    what: 'No webhook endpoint',
    mend: 'The product is told of nothing: it has to ask each time. Add one to hear of purchases.',
    page: '/endpoints',
    link: 'Webhooks',
  },
  purchase_not_subscribed: {
    what: 'No enabled endpoint is subscribed to purchase.completed',
    mend: 'Your server does not hear of purchases. Subscribe an endpoint to it.',
    page: '/endpoints',
    link: 'Webhooks',
  },
  key_expiring: {
    what: 'A key that was replaced stops working',
    mend: 'Make sure that your server uses the new one.',
    page: '/keys',
    link: 'API keys',
  },
  client_secret_expiring: {
    what: 'A client secret that was replaced stops working',
    mend: 'Make sure that your app uses the new one.',
    page: '/clients',
    link: 'OAuth clients',
  },
  secret_rotation_ending: {
    what: 'The old webhook secret stops signing',
    mend: 'Make sure that your receiver verifies with the new one.',
    page: '/endpoints',
    link: 'Webhooks',
  },
};

export function diagnosticsPage(props: Props): View {
  const { product, findings, today, usage, keys, clients } = props;
  return {
    title: `Diagnostics of ${product.name}`,
    content: html`
      ${productHeading(product, '/diagnostics')}
      <h2>What to mend</h2>
      ${findingList(product, findings)}
      <section>
        <h2>Deliveries of the last 24 hours</h2>
        ${outcomes(product, today)}
      </section>
      <section>
        <h2>Checks and use</h2>
        ${usageTable(usage)}
      </section>
      <section>
        <h2>Keys</h2>
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
      This product is sold elsewhere: there is nothing to integrate.
    </p>`;
  }
  if (findings.length === 0) return html`<p data-healthy>Nothing: all is well.</p>`;
  return html`<ul class="findings">
    ${findings.map((finding) => findingRow(product, finding))}
  </ul>`;
}

function findingRow({ slug }: FramedProduct, { code, about, at }: Finding) {
  const { what, mend, page, link } = WORDS[code];
  return html`<li data-finding="${code}">
    <strong>${what}</strong>${about === null ? '' : html`: <span class="id">${about}</span>`}
    ${at === null ? '' : html`<small>(${instant(at)})</small>`}<br />
    ${mend} <a href="${productPath(slug)}${page}">${link}</a>
  </li>`;
}

const LABELS = {
  succeeded: 'succeeded',
  under_way: 'under way',
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

function usageTable(usage: UsageOfDay[]) {
  return table({
    label: 'Checks and use by day',
    empty: 'None.',
    rows: usage,
    columns: [
      { heading: 'Day (UTC)', cell: ({ day }: UsageOfDay) => day },
      { heading: 'Live checks', cell: ({ checks }) => String(checks) },
      { heading: 'About people', cell: ({ checkedPeople }) => people(checkedPeople) },
      { heading: 'Active people', cell: ({ activePeople }) => people(activePeople) },
      { heading: 'Qualifying', cell: ({ qualifying }) => String(qualifying) },
    ],
  });
}

function people(count: number): string {
  return count < MOST_PEOPLE ? String(count) : `${MOST_PEOPLE.toLocaleString('en')} or more`;
}

function keyTable(keys: KeyView[]) {
  return table({
    label: 'Keys',
    empty: 'None.',
    rows: keys,
    columns: [
      { heading: 'Name', cell: ({ name }: KeyView) => name },
      {
        heading: 'Key',
        cell: ({ mode, lastFour }) => html`<code>gk_${mode}_...${lastFour}</code>`,
      },
      {
        heading: 'Last used',
        cell: ({ lastUsedAt }) => (lastUsedAt ? instant(lastUsedAt) : 'never'),
      },
    ],
  });
}

function clientTable(clients: RegisteredClient[]) {
  return table({
    label: 'OAuth clients',
    empty: 'None.',
    rows: clients,
    columns: [
      { heading: 'Name', cell: ({ name }: RegisteredClient) => name },
      { heading: 'Kind', cell: ({ kind }) => kind },
      { heading: 'State', cell: ({ isDisabled }) => (isDisabled ? 'disabled' : 'enabled') },
    ],
  });
}
