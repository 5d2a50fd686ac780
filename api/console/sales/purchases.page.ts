import { html } from '@prairielearn/html';
import type { SaleLine } from '../../../domain/billing/purchases/seller-purchases.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { productFrame, type FramedProduct } from '../console-frame.ts';
import { writePrice, purchasesPath, saleMark } from './purchase-labels.ts';

type Props = {
  product: FramedProduct;
  sales: SaleLine[];
  before: string | null;
  next: string | null;
  /** Checkouts that were never paid are in the list. */
  showsUnfinished: boolean;
};

export function purchasesPage(props: Props): View {
  const { product, sales, before, next, showsUnfinished } = props;
  const path = purchasesPath(product.slug);
  const query = showsUnfinished ? { unfinished: 'yes' } : {};
  return {
    title: `Purchases of ${product.name}`,
    ...productFrame(product, '/purchases', 'Purchases'),
    content: html`
      ${table({
        label: 'Purchases',
        rows: sales,
        empty: 'No purchases yet.',
        columns: {
          Started: ({ createdAt, purchaseId }: SaleLine) =>
            html`<a href="${path}/${purchaseId}">${instant(createdAt)}</a>`,
          Buyer: ({ handle }) => handle,
          Amount: writePrice,
          Status: saleMark,
        },
        pages: { path, query, before, next },
      })}
      <p>
        ${
          showsUnfinished
            ? html`<a href="${path}">Hide unfinished checkouts</a>`
            : html`<a href="${path}?unfinished=yes">Show unfinished checkouts</a>`
        }
      </p>
    `,
  };
}
