import { html } from '@prairielearn/html';
import type { ExclusionLine } from '../../../domain/pool/review/decisions.repository.ts';
import { form } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { paging, table } from '../../html/table.ts';
import { productPath } from '../../console/console-frame.ts';
import type { View } from '../../http/route.ts';
import { POOL_EXCLUSIONS, poolPage } from './pool.page.ts';

export type ExclusionDraft = {
  person: string;
  product: string;
  month: string;
  reason: string;
  problems: Partial<Record<'person' | 'product' | 'month' | 'reason', string | null>>;
};

type Props = {
  lines: ExclusionLine[];
  before: string | null;
  next: string | null;
  draft: ExclusionDraft | null;
  token: string;
};

export function exclusionsPage({ lines, before, next, draft, token }: Props): View {
  const content = html`
    <p>
      Excluded days of a person do not count for the product in that month. The Member's pot goes to
      the other products that this Member used. What is frozen already is corrected with the next
      open month. An exclusion cannot be undone.
    </p>
    <section class="slim">
      <h2>Exclude evidence</h2>
      ${form({
        action: POOL_EXCLUSIONS,
        token,
        button: 'Exclude evidence',
        fields: [
          {
            label: 'Person',
            name: 'person',
            value: draft?.person ?? '',
            hint: 'A handle, an email address or an ID.',
            problem: draft?.problems.person,
          },
          {
            label: 'Product',
            name: 'product',
            value: draft?.product ?? '',
            hint: 'A slug or an ID.',
            problem: draft?.problems.product,
          },
          {
            label: 'Month (UTC)',
            name: 'month',
            value: draft?.month ?? '',
            hint: 'Such as 2026-11.',
            problem: draft?.problems.month,
          },
          {
            label: 'Reason',
            name: 'reason',
            value: draft?.reason ?? '',
            problem: draft?.problems.reason,
          },
        ],
      })}
    </section>
    ${table({
      label: 'Excluded evidence',
      rows: lines,
      empty: 'Nothing is excluded.',
      columns: [
        { heading: 'Excluded', cell: ({ createdAt }: ExclusionLine) => instant(createdAt) },
        {
          heading: 'Person',
          cell: ({ handle, personId }) =>
            html`<a href="/operator/people/${personId}">${handle}</a>`,
        },
        {
          heading: 'Product',
          cell: ({ name, slug }) => html`<a href="${productPath(slug)}">${name}</a>`,
        },
        { heading: 'Month', cell: ({ month }) => month.slice(0, 7) },
        { heading: 'Reason', cell: ({ reason }) => html`<span class="typed">${reason}</span>` },
        { heading: 'By', cell: ({ excludedBy }) => excludedBy },
      ],
    })}
    ${paging({ path: POOL_EXCLUSIONS, before, next })}
  `;
  return poolPage({ current: POOL_EXCLUSIONS, title: 'Excluded evidence', content });
}
