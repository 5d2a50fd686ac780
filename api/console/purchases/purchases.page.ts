import { html } from '@prairielearn/html';
import type { SaleLine } from '../../../domain/billing/purchases/sale.repository.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';
import { paging, table } from '../../html/table.ts';
import { productHeading, type FramedProduct } from '../console-frame.ts';
import { priceOf, purchasesPath, saleMark } from './purchase-words.ts';

type Props = {
  product: FramedProduct;
  sales: SaleLine[];
  before: string | null;
  next: string | null;
};

export function purchasesPage({ product, sales, before, next }: Props): View {
  const path = purchasesPath(product.slug);
  return {
    title: `Purchases of ${product.name}`,
    content: html`
      ${productHeading(product, '/purchases')}
      <h2>Purchases</h2>
      ${table({ label: 'Purchases', columns: columns(path), rows: sales, empty: 'No purchases yet.' })}
      ${paging({ path, before, next })}
    `,
  };
}

function columns(path: string) {
  return [
    {
      heading: 'Started',
      cell: ({ createdAt, purchaseId }: SaleLine) =>
        html`<a href="${path}/${purchaseId}">${instant(createdAt)}</a>`,
    },
    { heading: 'Buyer', cell: ({ handle }: SaleLine) => handle },
    { heading: 'Amount', cell: priceOf },
    { heading: 'Status', cell: saleMark },
  ];
}
