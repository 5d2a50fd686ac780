import { html } from '@prairielearn/html';
import type { MonthOfUse } from '../../../domain/usage/history/usage-days.repository.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import { table } from '../../html/table.ts';
import { writeCount as count } from '../../html/numbers.ts';
import type { View } from '../../http/route.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { appIcon, type IconProduct } from '../../html/emblems.ts';
import { named } from '../../html/parts/named.ts';
import { teamPath } from '../console-frame.ts';
import type { ShownTeam } from '../teams/managed-team.ts';
import { teamFrame } from '../team-frame.ts';
import { monthForm, portion } from './usage.page.ts';
import { usagePath } from './usage-labels.ts';

type ProductUse = IconProduct & { usage: MonthOfUse };

type Props = {
  team: Pick<ShownTeam, 'id' | 'name' | 'scope'>;
  month: string;
  months: string[];
  products: ProductUse[];
  /** The products of the team that are not shown. */
  others: number;
};

export function teamUsagePage({ team, month, months, products, others }: Props): View {
  return {
    title: `Usage of ${team.name} in ${writeMonth(month)}`,
    ...teamFrame(team, '/usage', `Usage in ${writeMonth(month)}`),
    content: html`
      ${monthForm(`${teamPath(team.id)}/usage`, { month, months })}
      ${
        products.length === 0
          ? NO_PRODUCTS
          : table({
              label: `Usage by product in ${writeMonth(month)}`,
              empty: '',
              rows: products,
              columns: {
                Product: ({ slug, name, iconHash }: ProductUse) =>
                  named({
                    mark: appIcon({ slug, name, iconHash }, 34),
                    name: html`<a href="${usagePath(slug)}?month=${month}">${name}</a>`,
                  }),
                'Qualified active days': number(({ usage }) => count(usage.qualifiedDays)),
                People: number(({ usage }) => count(usage.people)),
                Returning: number(
                  ({ usage: { returning, people } }) =>
                    `${count(returning)} ${portion(returning, people)}`,
                ),
                Members: number(
                  ({ usage: { members, summedPeople } }) =>
                    `${count(members)} ${portion(members, summedPeople)}`,
                ),
                'Days of Members': number(
                  ({ usage: { memberDays, summedDays } }) =>
                    `${count(memberDays)} ${portion(memberDays, summedDays)}`,
                ),
              },
            })
      }
      ${
        others === 0
          ? ''
          : html`<p>
              These are the team's first ${count(products.length)} products. Usage of the other
              ${count(others)} is on each product's own page.
            </p>`
      }
      <p class="hint">
        People are counted for each product: one who uses two products stands in both rows.
      </p>
    `,
  };
}

const NO_PRODUCTS = emptyState({
  title: 'No products yet',
  sentence: 'Usage is counted for each product of the team.',
  link: { path: '/console/new-product', label: 'New product' },
});

function number(cell: (row: ProductUse) => string) {
  return { isNumber: true, cell };
}
