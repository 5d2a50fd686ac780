import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../domain/catalog/product.repository.ts';
import type { TeamView } from '../../domain/teams/team.repository.ts';
import type { View } from '../http/route.ts';
import { purchasesPath } from './sales/purchase-labels.ts';
import { emptyState } from '../html/form.ts';
import { sentenceCase } from '../html/status-labels.ts';
import { consoleView, describeRoles, productPath, stateMark, teamPath } from './console-frame.ts';

type Props = {
  products: ManagedProduct[];
  /** Removed products, whose sales are still shown. */
  removed: ManagedProduct[];
  teams: TeamView[];
  unread: number;
};

/** The person's own products, then each team's, then removed ones. */
export function consolePage({ products, removed, teams, unread }: Props): View {
  const own = products.filter(({ ownerTeamId }) => ownerTeamId === null);
  const content = html`
    <p><a role="button" href="/console/new-product">Create product</a></p>
    ${
      products.length === 0
        ? emptyState(
            'No products yet. A new product starts as a draft that only you and your team can see.',
          )
        : ''
    }
    ${own.length === 0 ? '' : group(html`Personal`, own)}
    ${teams.map((team) => {
      const theirs = products.filter(({ ownerTeamId }) => ownerTeamId === team.id);
      return group(html`<a href="${teamPath(team.id)}">${team.name}</a>`, theirs);
    })}
    ${removed.length === 0 ? '' : group(html`Removed`, removed)}
  `;
  return consoleView({ title: 'Products', content, unread }, '/console');
}

function group(heading: HtmlSafeString, products: ManagedProduct[]) {
  return html`<section>
    <h2>${heading}</h2>
    ${
      products.length === 0
        ? emptyState('This team has no products yet.')
        : html`<ul class="rows">
            ${products.map(row)}
          </ul>`
    }
  </section>`;
}

function row({ slug, name, tagline, state, roles }: ManagedProduct) {
  return html`<li data-product="${slug}">
    <span>
      <a href="${state === 'removed' ? purchasesPath(slug) : productPath(slug)}"
        ><strong>${name}</strong></a
      >
      ${stateMark(state)}<br />
      <small class="muted">${tagline}</small>
    </span>
    <small class="muted">${sentenceCase(describeRoles(roles))}</small>
  </li>`;
}
