import { html, type HtmlSafeString } from '@prairielearn/html';
import type { listProductNames } from '../../../domain/catalog/product-search.repository.ts';
import { MOST_AMOUNTS } from '../../../domain/pool/operator-views/amounts.repository.ts';
import type {
  PeriodView,
  Preview,
} from '../../../domain/pool/operator-views/periods.repository.ts';
import { smallButton } from '../../html/form.ts';
import { instant } from '../../html/dates.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { table } from '../../html/table.ts';
import { writeCount } from '../../html/numbers.ts';
import { productCell } from '../product-cell.ts';
import { periodPath } from './pool.page.ts';
import { splitCard, splitFigures } from './split-card.ts';

type Props = {
  period: PeriodView;
  preview: Preview | null;
  names: Awaited<ReturnType<typeof listProductNames>>;
  isLooking: boolean;
  token: string;
};

type Figures = NonNullable<Preview['figures']>;

/** The running month as it would be paid if it ended now. */
export function previewSection({ period, preview, names, isLooking, token }: Props) {
  const made = preview?.computedAt ?? null;
  return html`${preview?.figures ? figures(preview.figures, period) : ''}
  ${card({
    title: 'Preview',
    facts:
      made === null
        ? 'The month as it would be paid if it ended now'
        : html`<p>As if the month ended ${instant(made)}</p>`,
    actions: smallButton({
      action: `${periodPath(period.id)}/preview`,
      token,
      button: preview === null ? 'Make a preview' : 'Make a new preview',
    }),
    ...(preview?.figures
      ? { rows: products(preview.figures, { period, names }) }
      : { body: waiting(preview, isLooking) }),
    foot: 'Nothing is paid or kept.',
  })}`;
}

function waiting(preview: Preview | null, isLooking: boolean): HtmlSafeString {
  if (preview === null || preview.computedAt !== null) {
    return html`<p class="muted">No preview was made yet.</p>`;
  }
  return html`<p class="notice" role="status" data-wait>
    The preview is being made.
    ${isLooking ? 'This page looks again by itself.' : 'Load the page again to see it.'}
  </p>`;
}

function figures(found: Figures, { currency }: PeriodView): HtmlSafeString {
  const split = {
    currency,
    feesMinor: Number(found.feesMinor),
    platformMinor: Number(found.platformMinor),
    productsMinor: Number(found.productsMinor),
    unattributedMinor: Number(found.unattributedMinor),
    members: found.members,
    membersWithoutDays: found.membersWithoutDays,
  };
  return html`${splitFigures(split)} ${splitCard(split)}`;
}

function products(found: Figures, { period, names }: Pick<Props, 'period' | 'names'>) {
  const shown = largest(found.products);
  return html`${table({
    label: 'Preview of products',
    rows: shown,
    empty: 'No product was used by a Member so far.',
    columns: {
      Product: ({ productId }: Figures['products'][number]) => linked(productId, names),
      Members: { cell: ({ members }) => writeCount(members), isNumber: true },
      Days: { cell: ({ qualifiedDays }) => writeCount(qualifiedDays), isNumber: true },
      Amount: {
        cell: ({ amountMinor }) => money(Number(amountMinor), period.currency),
        isNumber: true,
      },
    },
  })}
  ${
    found.products.length > shown.length
      ? html`<footer>The ${shown.length} largest of ${writeCount(found.products.length)}.</footer>`
      : ''
  }`;
}

function largest(products: Figures['products']): Figures['products'] {
  return products
    .toSorted((one, other) => Number(other.amountMinor) - Number(one.amountMinor))
    .slice(0, MOST_AMOUNTS);
}

function linked(productId: string, names: Props['names']): HtmlSafeString | string {
  const product = names.get(productId);
  return product ? productCell(product) : productId;
}
