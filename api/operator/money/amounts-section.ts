import { html, type HtmlSafeString } from '@prairielearn/html';
import { LONGEST_NAME } from '../../../domain/catalog/product-fields.ts';
import type {
  AmountLine,
  AmountSearch,
} from '../../../domain/pool/operator-views/amounts.repository.ts';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import type { ReviewedLine } from '../../../domain/pool/review/decisions.repository.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField } from '../../html/parts/field.ts';
import { writePercent, writePlural, writeCount } from '../../html/numbers.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { money } from '../../html/parts/money.ts';
import { table } from '../../html/table.ts';
import { productCell } from '../product-cell.ts';
import { periodPath } from './pool.page.ts';
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
  const { period, search, amounts: lines, next, products } = props;
  const isReviewed = new Set(props.reviewed.map(({ productId }) => productId));
  const isEmpty = products === 0;
  return html`<div id="products">
    ${card({
      title: 'Products',
      facts: `${writePlural(products, 'product')} in this month, the largest amounts first`,
      ...(isEmpty
        ? { body: html`<p class="muted">No product was used by a Member.</p>` }
        : {
            rows: html`${findProduct(props)}
            ${table({
              label: 'Amounts of products',
              rows: lines,
              empty: 'No matching products.',
              columns: {
                Product: ({ name, slug, iconHash, heldFor }: AmountLine) =>
                  productCell({
                    slug,
                    name,
                    iconHash,
                    ...(heldFor === null
                      ? {}
                      : { more: html`<span class="typed">Held: ${heldFor}</span>` }),
                  }),
                Members: { cell: ({ members }) => writeCount(members), isNumber: true },
                Days: { cell: ({ days }) => writeCount(days), isNumber: true },
                Amount: {
                  cell: ({ amountMinor }) =>
                    html`${money(amountMinor, period.currency)} ${part(amountMinor, period)}`,
                  isNumber: true,
                },
                Corrections: {
                  cell: ({ correctedMinor }) =>
                    correctedMinor === 0 ? '' : money(correctedMinor, period.currency),
                  isNumber: true,
                },
                Decision: (line) =>
                  isReviewed.has(line.productId)
                    ? button({ text: 'See review', kind: 'quiet', size: 'small', href: '#review' })
                    : html`<div class="actions">${holdForms(line, props)}</div>`,
              },
              pages: {
                path: periodPath(period.id),
                query: { find: search.find },
                before: search.after,
                next,
                names: NAMES,
                part: 'products',
              },
            })}`,
          }),
    })}
  </div>`;
}

/** Each product of the month can be found, and held or released here. */
function findProduct({ period, search }: AmountsProps): HtmlSafeString {
  const path = `${periodPath(period.id)}#products`;
  const field = searchField({
    label: 'Name, slug or ID of a product',
    name: 'find',
    value: search.find,
    maxLength: LONGEST_NAME,
  });
  return filterForm({ path, fields: [field], button: 'Find', isFiltered: search.find !== '' });
}

/** What part of the products' sum it is, as a bar and in words. */
function part(amountMinor: number, { productsMinor }: PeriodView): HtmlSafeString | '' {
  if (!productsMinor || amountMinor <= 0) return '';
  const words = writePercent(amountMinor, productsMinor);
  return html`<br /><small class="part"
      >${words}
      <svg class="share-bar" aria-hidden="true">
        <rect class="bar-1" width="${words.replace(' ', '')}" height="100%" /></svg
    ></small>`;
}
