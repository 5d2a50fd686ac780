import { html, type HtmlSafeString } from '@prairielearn/html';
import { LONGEST_NAME } from '../../../domain/catalog/product-fields.ts';
import type {
  AmountLine,
  AmountSearch,
} from '../../../domain/pool/operator-views/amounts.repository.ts';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import type { ReviewedLine } from '../../../domain/pool/review/decisions.repository.ts';
import { formatMoney } from '../../../domain/shared/money.ts';
import { barChart } from '../../html/chart.ts';
import { filterForm, searchField } from '../../html/form.ts';
import { table } from '../../html/table.ts';
import { writeCount, writePercent } from '../../html/status-labels.ts';
import { productPath } from '../../console/console-frame.ts';
import { periodName, periodPath } from './pool.page.ts';
import { holdForms, type ReviewDraft } from './review-section.ts';

export type AmountsProps = {
  period: PeriodView;
  search: AmountSearch;
  /** The amounts of the products that are searched for, the largest first. */
  amounts: AmountLine[];
  /** The last of these, where others follow. */
  next: string | null;
  /** How many products the period has in all. */
  products: number;
  reviewed: ReviewedLine[];
  draft: ReviewDraft | null;
  token: string;
};

const NAMES = { field: 'after', first: 'Largest', next: 'Smaller' };

/** What each product gets; one that nobody reviews can be held from here. */
export function amountsSection(props: AmountsProps): HtmlSafeString {
  const { period, search, amounts: lines, next } = props;
  const money = (amountMinor: number) => formatMoney(amountMinor, period.currency);
  const isReviewed = new Set(props.reviewed.map(({ productId }) => productId));
  return html`<section id="products">
    <h2>Products</h2>
    ${chart(props, money)} ${findProduct(props)}
    ${table({
      label: 'Amounts of products',
      rows: lines,
      empty: isWhole(search) ? 'No product was used by a Member.' : 'No matching products.',
      columns: {
        Product: ({ name, slug, heldFor }: AmountLine) =>
          html`<a href="${productPath(slug)}">${name}</a>${
              heldFor === null ? '' : html`<br /><small class="muted">Held: ${heldFor}</small>`
            }`,
        Members: ({ members }) => writeCount(members),
        Days: ({ days }) => writeCount(days),
        Amount: ({ amountMinor }) => html`${money(amountMinor)} ${part(amountMinor, period)}`,
        Corrections: ({ correctedMinor }) => (correctedMinor === 0 ? '-' : money(correctedMinor)),
        Actions: (line) =>
          isReviewed.has(line.productId)
            ? html`<a href="#review">See review</a>`
            : holdForms(line, props),
      },
      pages: {
        path: periodPath(period.id),
        query: { find: search.find },
        before: search.after,
        next,
        names: NAMES,
        part: 'products',
      },
    })}
  </section>`;
}

function isWhole({ find, after }: AmountSearch): boolean {
  return find === '' && after === null;
}

function chart(
  { period, search, amounts }: AmountsProps,
  money: (amountMinor: number) => string,
): HtmlSafeString | '' {
  const charted = amounts
    .filter(({ amountMinor }) => amountMinor > 0)
    .toSorted((one, other) => other.amountMinor - one.amountMinor);
  if (charted.length === 0 || !isWhole(search)) return '';
  return barChart({
    id: 'amounts',
    title: `Amounts of products in ${periodName(period)}`,
    summary: `The largest amount is ${money(charted[0]!.amountMinor)}, for ${charted[0]!.name}.`,
    series: ['Amount of the month'],
    bars: charted.map(({ name, amountMinor }) => ({ label: name, values: [amountMinor] })),
    unit: 'Product',
    write: money,
  });
}

/** Each product of the month can be found, and held or released here. */
function findProduct({ period, search, products }: AmountsProps): HtmlSafeString | '' {
  if (products === 0) return '';
  const path = periodPath(period.id);
  const field = searchField({
    label: 'Name, slug or ID of a product',
    name: 'find',
    value: search.find,
    maxLength: LONGEST_NAME,
  });
  return html`${filterForm({ path: `${path}#products`, fields: [field], button: 'Find' })}
    <p class="muted">
      <small>
        ${writeCount(products)} ${products === 1 ? 'product' : 'products'} in this month, the
        largest amounts first.
        ${search.find === '' ? '' : html`<a href="${path}#products">All products</a>`}
      </small>
    </p>`;
}

function part(amountMinor: number, { productsMinor }: PeriodView): HtmlSafeString | '' {
  if (!productsMinor || amountMinor <= 0) return '';
  return html`<small class="muted">${writePercent(amountMinor, productsMinor)}</small>`;
}
