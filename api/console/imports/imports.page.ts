import { html } from '@prairielearn/html';
import type { listImports } from '../../../domain/catalog/imports/listing-import.repository.ts';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/dates.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { productFrame } from '../console-frame.ts';
import { importCard, importsPath, type ImportDraft } from './import-card.ts';
import { importPill, KIND_WORDS } from './import-labels.ts';

type Row = Awaited<ReturnType<typeof listImports>>[number];

type Props = {
  product: ManagedProduct;
  imports: Row[];
  address: string | null;
  draft: ImportDraft | null;
  formToken: string;
};

export function importsPage({ product, imports, address, draft, formToken }: Props): View {
  const { slug } = product;
  return {
    title: `Imports of ${product.name}`,
    ...productFrame(product, '/imports', 'Imports'),
    content: html`<div class="stack wide-forms">
      ${importCard({ slug, address, draft, formToken })}
      ${listCard({
        label: 'Imports',
        title: 'Earlier imports',
        rows: imports,
        columns: {
          Address: (row: Row) =>
            html`<a class="address" href="${importsPath(slug)}/${row.id}">${row.address}</a>`,
          From: ({ kind }: Row) => KIND_WORDS[kind],
          When: ({ createdAt }: Row) => instant(createdAt),
          State: { cell: ({ state }: Row) => importPill(state), onPhone: 'state' },
        },
        empty: {
          title: 'No imports yet',
          sentence:
            'An import fills in the listing with what your site or repository says already.',
        },
      })}
    </div>`,
  };
}
