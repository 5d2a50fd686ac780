import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Issue } from '../../../domain/catalog/diagnose.ts';
import type { KeyView } from '../../../domain/catalog/keys/api-key.repository.ts';
import type { RegisteredClient } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { MOST_PEOPLE, type ChecksOfDay } from '../../../domain/usage/checks-by-day.repository.ts';
import type { DayOfUse } from '../../../domain/usage/history/explain-day.ts';
import {
  OUTCOMES,
  type HourOfOutcomes,
} from '../../../domain/webhooks/deliveries/outcomes-by-hour.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { issueRow } from './issue-row.ts';

type Props = {
  product: FramedProduct;
  /** Is null for a product that is sold elsewhere, which has no integration. */
  issues: Issue[] | null;
  today: HourOfOutcomes[];
  checks: ChecksOfDay[];
  /** The days with evidence. */
  usage: DayOfUse[];
  keys: KeyView[];
  clients: RegisteredClient[];
};

export function diagnosticsPage(props: Props): View {
  const { product, issues, today, keys, clients } = props;
  return {
    title: `Diagnostics of ${product.name}`,
    ...productFrame(product, '/diagnostics', 'Issues'),
    content: html`
      ${issueList(product, issues)}
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

function usageTable({ checks, usage }: Pick<Props, 'checks' | 'usage'>) {
  const used = new Map(usage.map((day) => [day.day, day]));
  return table({
    label: 'Usage by day',
    empty: 'No usage yet.',
    rows: checks,
    columns: {
      'Day (UTC)': ({ day }: ChecksOfDay) => day,
      'Live checks': (each) => String(each.checks),
      'People checked': (each) => people(each.people),
      'Active people': ({ day }) => String(used.get(day)?.people ?? 0),
      Qualifying: ({ day }) => String(used.get(day)?.reasons.qualified ?? 0),
    },
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
    columns: {
      Name: ({ name }: KeyView) => name,
      Key: ({ mode, lastFour }) => html`<code>gk_${mode}_...${lastFour}</code>`,
      'Last used': ({ lastUsedAt }) => (lastUsedAt ? instant(lastUsedAt) : 'Never'),
    },
  });
}

function clientTable(clients: RegisteredClient[]) {
  return table({
    label: 'OAuth clients',
    empty: 'No OAuth clients.',
    rows: clients,
    columns: {
      Name: ({ name }: RegisteredClient) => name,
      Kind: ({ kind }) => sentenceCase(kind),
      State: ({ isDisabled }) => (isDisabled ? 'Disabled' : 'Enabled'),
    },
  });
}
