import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PersonFacts } from '../../../domain/identity/operators/people-list.repository.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import { productPath } from '../../console/console-frame.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { factList, type Fact } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
import { purchasesOf, type Bought } from './person-purchases.ts';
import { answersOf } from './answers.page.ts';
import { decisionButtons } from './decision.page.ts';
import { AUDIT, BUILDERS, operatorPage } from '../operator.page.ts';

type Props = {
  person: PersonFacts;
  products: ManagedProduct[];
  teams: TeamView[];
  bought: Bought;
  token: string;
  /** Why a request was not declined. */
  problem?: string | null;
  /** The link to their subscriptions in Temporal. */
  workflows: HtmlSafeString | '';
};

export function personPage(props: Props): View {
  const { person, products, teams, bought, token, workflows, problem = null } = props;
  const content = html`
    ${facts(person)}
    <section>
      <h2>Builder</h2>
      <p data-builder="${builderState(person)}">${builderWords(person)}</p>
      ${answersOf(person)} ${decisionButtons(person, { token, from: 'person', problem })}
    </section>
    <section>
      <h2>Products</h2>
      ${list(products, productLine)}
    </section>
    <section>
      <h2>Teams</h2>
      ${list(teams, teamLine)}
    </section>
    ${purchasesOf(person.id, bought)}
    <p><a href="${AUDIT}?person=${person.id}">View in audit trail</a></p>
    ${workflows}
  `;
  return operatorPage({ section: BUILDERS, title: person.displayName, content });
}

function facts(person: PersonFacts): HtmlSafeString {
  const { id, handle, email, isEmailVerified, isOperator, createdAt, deletedAt } = person;
  const shown: Fact[] = [
    ['Handle', handle],
    ['ID', html`<code class="id">${id}</code>`],
    ['Email', html`<span class="id">${email || '-'}</span>`],
    ['Email confirmed', isEmailVerified ? 'Yes' : 'No'],
    ['Operator', isOperator ? 'Yes' : 'No'],
    ['Joined', instant(createdAt)],
    ['Sessions', html`<span data-sessions>${person.sessions}</span>`],
    ['Passkeys', String(person.passkeys)],
    ...(deletedAt === null ? [] : [['Deleted', instant(deletedAt)] satisfies Fact]),
  ];
  return factList(shown);
}

function builderState({ verifiedAt, requestedAt }: PersonFacts): string {
  if (verifiedAt !== null) return 'verified';
  return requestedAt === null ? 'none' : 'waiting';
}

function builderWords({ verifiedAt, requestedAt, isEmailVerified }: PersonFacts) {
  if (verifiedAt !== null) {
    return html`Verified since ${instant(verifiedAt)}.
    ${isEmailVerified ? '' : 'The verification counts once the email address is confirmed.'}`;
  }
  if (requestedAt !== null) return html`Verification requested ${instant(requestedAt)}.`;
  return 'Verification not requested.';
}

function list<Item>(items: Item[], line: (item: Item) => HtmlSafeString): HtmlSafeString {
  if (items.length === 0) return html`<p class="muted">None.</p>`;
  return html`<ul class="rows">
    ${items.map(line)}
  </ul>`;
}

function productLine({ id, slug, name, state, ownerTeamId }: ManagedProduct) {
  return html`<li>
    <span>
      <a href="${productPath(slug)}/clients">${name}</a>
      <small class="muted"
        >${sentenceCase(state)}, ${ownerTeamId === null ? 'personal' : 'team'}</small
      >
    </span>
    <a href="${AUDIT}?product=${id}">Audit trail</a>
  </li>`;
}

function teamLine({ id, name, role }: TeamView) {
  return html`<li>
    <span>${name} <small class="muted">${sentenceCase(role)}</small></span>
    <a href="${AUDIT}?team=${id}">Audit trail</a>
  </li>`;
}
