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
import { table } from '../../html/table.ts';
import { shortDay, shortInstant } from '../../html/dates.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { figures, type Figure } from '../../html/parts/figures.ts';
import { needs } from '../../html/parts/needs.ts';
import { note } from '../../html/parts/note.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { writeCapped, writeCount, addUp } from '../../html/numbers.ts';
import { productFrame, productPath, type FramedProduct } from '../console-frame.ts';
import { toNeed } from './issue-row.ts';

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
  const { product, issues, keys, clients } = props;
  return {
    title: `Diagnostics of ${product.name}`,
    ...productFrame(product, '/diagnostics', 'Diagnostics'),
    content: html`
      ${issueList(product, issues)} ${figures(counts(props))}
      ${card({
        title: 'Usage of the last 7 days',
        actions: see('Usage by month', product, '/usage'),
        rows: usageTable(props),
      })}
      ${card({ title: 'API keys', actions: see('See keys', product, '/keys'), rows: keyTable(keys) })}
      ${card({
        title: 'Sign-in clients',
        actions: see('See sign-in', product, '/clients'),
        rows: clientTable(clients),
      })}
    `,
  };
}

function see(text: string, { slug }: FramedProduct, page: string): HtmlSafeString {
  return button({ text, size: 'small', href: productPath(slug) + page });
}

function issueList(product: FramedProduct, issues: Issue[] | null): HtmlSafeString {
  if (issues === null) {
    return note({
      tone: 'plain',
      more: 'This product is sold elsewhere, so there is nothing to integrate.',
    });
  }
  if (issues.length === 0) {
    return html`<div data-healthy>
      ${note({ tone: 'ok', sentence: 'No issues.', more: 'The integration works as it should.' })}
    </div>`;
  }
  return card({
    title: 'What needs you',
    rows: needs(issues.map((issue) => toNeed(product, issue))),
  });
}

const LABELS = {
  succeeded: 'Accepted in 24 hours',
  under_way: 'In progress',
  failed: 'Dead, held or cancelled',
} as const;

/** The deliveries of a day, and the checks of today. */
function counts({ product, today, checks }: Props): Figure[] {
  const path = productPath(product.slug);
  return [
    ...OUTCOMES.map((name) => ({
      name: LABELS[name],
      value: writeCount(addUp(today, (hour) => hour[name])),
      path: `${path}/deliveries`,
    })),
    {
      name: 'Live checks today',
      value: writeCount(checks[0]?.checks ?? 0),
      path: `${path}/requests`,
    },
  ];
}

function usageTable({ checks, usage }: Pick<Props, 'checks' | 'usage'>) {
  const used = new Map(usage.map((day) => [day.day, day]));
  return table<ChecksOfDay>({
    label: 'Usage by day',
    empty: 'No usage yet.',
    rows: checks,
    columns: {
      'Day (UTC)': ({ day }) => shortDay(day),
      'Live checks': { cell: (each) => writeCount(each.checks), isNumber: true },
      'People checked': { cell: (each) => writeCapped(each.people, MOST_PEOPLE), isNumber: true },
      'Active people': {
        cell: ({ day }) => writeCount(used.get(day)?.people ?? 0),
        isNumber: true,
      },
      Qualifying: {
        cell: ({ day }) => writeCount(used.get(day)?.reasons.qualified ?? 0),
        isNumber: true,
      },
    },
  });
}

function keyTable(keys: KeyView[]) {
  return table<KeyView>({
    label: 'API keys',
    empty: 'No API keys.',
    rows: keys,
    columns: {
      Name: ({ name }) => name,
      Key: ({ mode, lastFour }) => html`<code>gk_${mode}_...${lastFour}</code>`,
      'Last used (UTC)': {
        cell: ({ lastUsedAt }) => (lastUsedAt ? shortInstant(lastUsedAt) : 'Never'),
        isNumber: true,
      },
    },
  });
}

function clientTable(clients: RegisteredClient[]) {
  return table<RegisteredClient>({
    label: 'Sign-in clients',
    empty: 'No clients.',
    rows: clients,
    columns: {
      Name: ({ name }) => name,
      Kind: ({ kind }) => sentenceCase(kind),
      State: {
        cell: ({ isDisabled }) =>
          isDisabled
            ? pill({ word: 'Disabled', tone: 'neutral' })
            : pill({ word: 'Enabled', tone: 'ok', isLive: true }),
        onPhone: 'state',
      },
    },
  });
}
