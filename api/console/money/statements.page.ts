import { html } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { MonthOfSales } from '../../../domain/product-figures/home-figures.repository.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import type { View } from '../../http/route.ts';
import { appIcon } from '../../html/emblems.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { money } from '../../html/parts/money.ts';
import { writeCount } from '../../html/numbers.ts';
import { table } from '../../html/table.ts';
import { named } from '../../html/parts/named.ts';
import type { ConsoleScope } from '../console-scope.ts';
import { statementsPath } from '../sales/statement-labels.ts';
import { consoleView } from '../team-frame.ts';

type Props = { scope: ConsoleScope; products: ManagedProduct[]; months: MonthOfSales[] };

/** The months of all products in one list; each leads to its statement. */
export function statementsPage({ scope, products, months }: Props): View {
  const byId = new Map(products.map((product) => [product.id, product]));
  const content =
    months.length === 0
      ? emptyState({
          title: 'No statements yet',
          sentence: 'A month appears here soon after its first sale.',
          link: { path: '/console', label: 'See products' },
        })
      : html`${table({
            label: 'Statements',
            rows: months,
            empty: '',
            columns: {
              Product: ({ productId, month }: MonthOfSales) => {
                const product = byId.get(productId)!;
                const { slug, name } = product;
                return named({
                  mark: appIcon(product, 34),
                  name: html`<a href="${statementsPath(slug)}/${month}">${name}</a>`,
                  line: writeMonth(month),
                });
              },
              Payments: { isNumber: true, cell: ({ payments }) => writeCount(payments ?? 0) },
              Sales: {
                isNumber: true,
                cell: ({ salesMinor, currency }) => money(salesMinor, currency),
              },
              'Refunds and disputes': {
                isNumber: true,
                cell: ({ refundsMinor, currency }) => money(0 - refundsMinor, currency),
              },
              Revenue: {
                isNumber: true,
                cell: ({ salesMinor, refundsMinor, currency }) =>
                  html`<strong>${money(salesMinor - refundsMinor, currency)}</strong>`,
              },
            },
          })}
          <p class="hint">
            Before the platform fee, in months of UTC, summed every few minutes. A statement has the
            fee, what is left, and every entry.
          </p>`;
  return consoleView({ title: 'Statements', content, scope }, '/console/statements');
}
