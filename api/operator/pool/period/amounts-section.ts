import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  MOST_AMOUNTS,
  type AmountLine,
  type PeriodView,
} from '../../../../domain/pool/operating/periods.repository.ts';
import type { ReviewedLine } from '../../../../domain/pool/operating/review-list.repository.ts';
import { formatMoney } from '../../../../domain/shared/money.ts';
import { barChart } from '../../../html/chart.ts';
import { table } from '../../../html/table.ts';
import { writeCount, writePercent } from '../../../html/words.ts';
import { productPath } from '../../../console/console-frame.ts';
import { nameOf } from '../pool.page.ts';
import { holdForms, type ReviewDraft } from './review-section.ts';

type Props = {
  period: PeriodView;
  /** The largest ones. */
  amounts: AmountLine[];
  /** How many products the period has in all. */
  products: number;
  reviewed: ReviewedLine[];
  draft: ReviewDraft | null;
  token: string;
};

/** What each product gets; one that nobody reviews can be held from here. */
export function amountsSection(props: Props): HtmlSafeString {
  const { period, amounts: lines, products } = props;
  const money = (amountMinor: number) => formatMoney(amountMinor, period.currency);
  const isReviewed = new Set(props.reviewed.map(({ productId }) => productId));
  const charted = lines.filter(({ amountMinor }) => amountMinor > 0);
  return html`<section>
    <h2>Products</h2>
    ${
      charted.length === 0
        ? ''
        : barChart({
            id: 'amounts',
            title: `Amounts of products in ${nameOf(period)}`,
            summary: `The largest amount is ${money(charted[0]!.amountMinor)}, for ${charted[0]!.name}.`,
            series: [{ name: 'amount', label: 'Amount of the month' }],
            bars: charted.map(({ name, amountMinor }) => ({ label: name, values: [amountMinor] })),
            unit: 'Product',
            write: money,
          })
    }
    ${
      products > MOST_AMOUNTS
        ? html`<p class="muted">
            The ${MOST_AMOUNTS} largest of ${writeCount(products)}. The statement has all.
          </p>`
        : ''
    }
    ${table({
      label: 'Amounts of products',
      rows: lines,
      empty: 'No product was used by a Member.',
      columns: [
        {
          heading: 'Product',
          cell: ({ name, slug, heldFor }: AmountLine) =>
            html`<a href="${productPath(slug)}">${name}</a>${
                heldFor === null ? '' : html`<br /><small class="muted">Held: ${heldFor}</small>`
              }`,
        },
        { heading: 'Members', cell: ({ members }) => writeCount(members) },
        { heading: 'Days', cell: ({ days }) => writeCount(days) },
        {
          heading: 'Amount',
          cell: ({ amountMinor }) => html`${money(amountMinor)} ${part(amountMinor, period)}`,
        },
        {
          heading: 'Corrections',
          cell: ({ correctedMinor }) => (correctedMinor === 0 ? '-' : money(correctedMinor)),
        },
        {
          heading: 'Actions',
          cell: (line) => (isReviewed.has(line.productId) ? 'See review' : holdForms(line, props)),
        },
      ],
    })}
  </section>`;
}

function part(amountMinor: number, { productsMinor }: PeriodView): HtmlSafeString | '' {
  if (!productsMinor || amountMinor <= 0) return '';
  return html`<small class="muted">${writePercent(amountMinor, productsMinor)}</small>`;
}
