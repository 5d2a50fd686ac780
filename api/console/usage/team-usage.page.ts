import { html } from '@prairielearn/html';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import type { MonthOfUse } from '../../../domain/usage/history/usage-days.repository.ts';
import { table } from '../../html/table.ts';
import { writeCount as count } from '../../html/status-labels.ts';
import type { View } from '../../http/route.ts';
import { teamFrame, teamPath } from '../console-frame.ts';
import { monthForm, monthName, portion } from './usage.page.ts';
import { usagePath } from './usage-labels.ts';

type ProductUse = { slug: string; name: string; usage: MonthOfUse };

type Props = {
  team: Pick<TeamView, 'id' | 'name'>;
  month: string;
  months: string[];
  products: ProductUse[];
  /** The products of the team that are not shown. */
  others: number;
};

export function teamUsagePage({ team, month, months, products, others }: Props): View {
  return {
    title: `Usage of ${team.name} in ${monthName(month)}`,
    ...teamFrame(team, '/usage', `Usage in ${monthName(month)}`),
    content: html`
      ${monthForm(`${teamPath(team.id)}/usage`, { month, months })}
      ${table({
        label: `Usage by product in ${monthName(month)}`,
        empty: 'The team has no products.',
        rows: products,
        columns: {
          Product: ({ slug, name }: ProductUse) =>
            html`<a href="${usagePath(slug)}?month=${month}">${name}</a>`,
          'Qualified active days': ({ usage }) => count(usage.qualifiedDays),
          People: ({ usage }) => count(usage.people),
          Returning: ({ usage: { returning, people } }) =>
            `${count(returning)} ${portion(returning, people)}`,
          Members: ({ usage: { members, summedPeople } }) =>
            `${count(members)} ${portion(members, summedPeople)}`,
          'Days of Members': ({ usage: { memberDays, summedDays } }) =>
            `${count(memberDays)} ${portion(memberDays, summedDays)}`,
        },
      })}
      ${
        others === 0
          ? ''
          : html`<p>
              These are the team's first ${count(products.length)} products. Usage of the other
              ${count(others)} is on each product's own page.
            </p>`
      }
      <p class="muted">
        <small>
          People are counted for each product: one who uses two products stands in both rows.
        </small>
      </p>
    `,
  };
}
