import { html } from '@prairielearn/html';
import type { ExclusionLine } from '../../../domain/pool/review/decisions.repository.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { productPath } from '../../console/console-frame.ts';
import type { View } from '../../http/route.ts';
import { POOL_EXCLUSIONS, poolPage } from './pool.page.ts';

export type ExclusionDraft = Draft<'person' | 'product' | 'month' | 'reason'>;

type Props = {
  lines: ExclusionLine[];
  before: string | null;
  next: string | null;
  draft: ExclusionDraft | null;
  token: string;
};

export function exclusionsPage({ lines, before, next, draft, token }: Props): View {
  const fields = formFields(draft);
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
        isMain: true,
        fields: [
          fields('person', { label: 'Person', hint: 'A handle, an email address or an ID.' }),
          fields('product', { label: 'Product', hint: 'A slug or an ID.' }),
          fields('month', { label: 'Month (UTC)', hint: 'Such as 2026-11.' }),
          fields('reason', { label: 'Reason' }),
        ],
      })}
    </section>
    ${table({
      label: 'Excluded evidence',
      rows: lines,
      empty: 'Nothing is excluded.',
      columns: {
        Excluded: ({ createdAt }: ExclusionLine) => instant(createdAt),
        Person: ({ handle, personId }) =>
          html`<a href="/operator/people/${personId}">${handle}</a>`,
        Product: ({ name, slug }) => html`<a href="${productPath(slug)}">${name}</a>`,
        Month: ({ month }) => month.slice(0, 7),
        Reason: ({ reason }) => html`<span class="typed">${reason}</span>`,
        By: ({ excludedBy }) => excludedBy,
      },
      pages: { path: POOL_EXCLUSIONS, before, next },
    })}
  `;
  return poolPage({ current: POOL_EXCLUSIONS, title: 'Excluded evidence', content });
}
