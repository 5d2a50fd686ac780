import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Issue } from '../../../domain/catalog/diagnose.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { MOST_PEOPLE, type UsageOfDay } from '../../../domain/usage/usage-day.repository.ts';
import { OUTCOMES, type HourOfOutcomes } from '../../../domain/webhooks/deliveries/outcomes.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/words.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';
import { issueRow } from './issue-row.ts';

type Props = {
  product: FramedProduct;
  /** Null for a product that is sold elsewhere, which has no integration. */
  issues: Issue[] | null;
  today: HourOfOutcomes[];
  usage: UsageOfDay[];
  keys: KeyView[];
  clients: RegisteredClient[];
};

export function diagnosticsPage(props: Props): View {
  const { product, issues, today, usage, keys, clients } = props;
  return {
    title: `Diagnostics of ${product.name}`,
    content: html`
      ${productHeading(product, '/diagnostics')}
      <h2>Issues</h2>
      ${issueList(product, issues)}
      <section>
        <h2>Deliveries in the last 24 hours</h2>
        ${outcomes(product, today)}
      </section>
      <section>
        <h2>Usage</h2>
        ${usageTable(usage)}
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

function issueList(product: FramedProduct, issues: Issue[] | null): HtmlSafeString {
  if (issues === null) {
    return html`<p class="muted">
      This product is sold elsewhere, so there is nothing to integrate.
    </p>`;
  }
  if (issues.length === 0) return html`<p data-healthy>No issues.</p>`;
  return html`<ul class="issues">
    ${issues.map((issue) => issueRow(product, issue))}
  </ul>`;
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

function usageTable(usage: UsageOfDay[]) {
  return table({
    label: 'Usage by day',
    empty: 'No usage yet.',
    rows: usage,
    columns: [
      { heading: 'Day (UTC)', cell: ({ day }: UsageOfDay) => day },
      { heading: 'Live checks', cell: ({ checks }) => String(checks) },
      { heading: 'People checked', cell: ({ checkedPeople }) => people(checkedPeople) },
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
