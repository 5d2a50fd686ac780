import { html } from '@prairielearn/html';
import type { ExclusionLine } from '../../../domain/pool/review/decisions.repository.ts';
import { form, formFields, type Draft } from '../../html/form.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import type { View } from '../../http/route.ts';
import { productCell } from '../product-cell.ts';
import { POOL_EXCLUSIONS, operatorPage } from '../operator.page.ts';

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
    ${card({
      title: 'Exclude evidence',
      body: html`<p>
          The Member's pot goes to the other products that this Member used. What is frozen already
          is corrected with the next open month. <strong>An exclusion cannot be undone.</strong>
        </p>
        ${form({
          action: POOL_EXCLUSIONS,
          token,
          isDangerous: true,
          button: 'Exclude evidence',
          fields: [
            fields('person', { label: 'Person', hint: 'A handle, an email address or an ID.' }),
            fields('product', { label: 'Product', hint: 'A slug or an ID.' }),
            fields('month', { label: 'Month (UTC)', hint: 'Such as 2026-11.' }),
            fields('reason', { label: 'Reason' }),
          ],
        })}`,
    })}
    ${listCard({
      title: 'Excluded so far',
      label: 'Excluded evidence',
      rows: lines,
      empty: {
        title: 'Nothing is excluded',
        sentence: 'Every qualified day of every Member counts.',
      },
      columns: {
        Person: ({ handle, personId }: ExclusionLine) =>
          html`<a href="/operator/people/${personId}">@${handle}</a>`,
        Product: ({ name, slug, iconHash }) => productCell({ slug, name, iconHash }),
        Month: ({ month }) => month.slice(0, 7),
        Reason: ({ reason }) => html`<span class="typed">${reason}</span>`,
        'Excluded (UTC)': ({ createdAt, excludedBy }) =>
          html`${shortInstant(createdAt)}<br /><small>by @${excludedBy}</small>`,
      },
      pages: { path: POOL_EXCLUSIONS, before, next },
    })}
  `;
  return operatorPage({
    section: POOL_EXCLUSIONS,
    title: 'Excluded evidence',
    lead: 'Excluded days of a person do not count for the product in that month.',
    content,
  });
}
