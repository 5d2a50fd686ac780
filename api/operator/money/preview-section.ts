import { html, type HtmlSafeString } from '@prairielearn/html';
import { MOST_AMOUNTS } from '../../../domain/pool/operator-views/amounts.repository.ts';
import type {
  PeriodView,
  Preview,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import { writeSums } from '../../../domain/pool/period/describe-sums.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { factList, table } from '../../html/table.ts';
import { writeCount } from '../../html/status-labels.ts';
import { productPath } from '../../console/console-frame.ts';
import { periodPath } from './pool.page.ts';

type Props = {
  period: PeriodView;
  preview: Preview | null;
  names: ReadonlyMap<string, { name: string; slug: string }>;
  isLooking: boolean;
  token: string;
};

type Figures = NonNullable<Preview['figures']>;

/** The running month as it would be paid if it ended now. */
export function previewSection({ period, preview, names, isLooking, token }: Props) {
  return html`<section>
    <h2>Preview</h2>
    <p>The month as it would be paid if it ended now. Nothing is paid or kept.</p>
    ${waiting(preview, isLooking)}
    ${smallButton({
      action: `${periodPath(period.id)}/preview`,
      token,
      button: preview === null ? 'Make a preview' : 'Make a new preview',
    })}
    ${preview?.figures ? figures(preview.figures, { period, preview, names }) : ''}
  </section>`;
}

function waiting(preview: Preview | null, isLooking: boolean): HtmlSafeString | '' {
  if (preview === null || preview.computedAt !== null) return '';
  return html`<p class="notice" role="status" data-wait>
    The preview is being made.
    ${isLooking ? 'This page looks again by itself.' : 'Load the page again to see it.'}
  </p>`;
}

function figures(
  found: Figures,
  { period, preview, names }: Pick<Props, 'period' | 'names'> & { preview: Preview },
): HtmlSafeString {
  const { currency } = period;
  const money = (amountMinor: string) => formatMoney(Number(amountMinor), currency);
  const sums = writeSums({ currency, ...found });
  return html`${factList([
    ['Made', preview.computedAt === null ? 'Earlier' : instant(preview.computedAt)],
    ['Share for the pool', `${writeCount(found.poolShareBps)} basis points`],
    [
      'Members',
      `${writeCount(found.members)}, ${writeCount(found.membersWithoutDays)} of them without a day`,
    ],
    ['Fees', sums.fees],
    ['Platform', sums.platform],
    ['Products', sums.products],
    ['Unattributed', sums.unattributed],
  ])}
  ${
    found.products.length > MOST_AMOUNTS
      ? html`<p class="muted">
          The ${MOST_AMOUNTS} largest of ${writeCount(found.products.length)}.
        </p>`
      : ''
  }
  ${table({
    label: 'Preview of products',
    rows: largest(found.products),
    empty: 'No product was used by a Member so far.',
    columns: {
      Product: ({ productId }: Figures['products'][number]) => linked(productId, names),
      Members: ({ members }) => writeCount(members),
      Days: ({ qualifiedDays }) => writeCount(qualifiedDays),
      Amount: ({ amountMinor }) => money(amountMinor),
    },
  })}`;
}

function largest(products: Figures['products']): Figures['products'] {
  return products
    .toSorted((one, other) => Number(other.amountMinor) - Number(one.amountMinor))
    .slice(0, MOST_AMOUNTS);
}

function linked(productId: string, names: Props['names']): HtmlSafeString | string {
  const product = names.get(productId);
  return product ? html`<a href="${productPath(product.slug)}">${product.name}</a>` : productId;
}
