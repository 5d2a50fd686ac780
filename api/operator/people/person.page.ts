import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import type { PersonFacts } from '../../../domain/identity/operators/people-list.repository.ts';
import type { TeamView } from '../../../domain/teams/team.repository.ts';
import { productPath } from '../../console/console-frame.ts';
import type { View } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { instant } from '../../html/dates.ts';
import { appIcon } from '../../html/emblems.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { pill } from '../../html/parts/pill.ts';
import { factList } from '../../html/parts/facts.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { productPill } from '../../html/status-pills.ts';
import { halves } from '../../html/parts/beside.ts';
import { named } from '../../html/parts/named.ts';
import { purchasesOf, type Bought } from './person-purchases.ts';
import { answersOf } from './answers.page.ts';
import { decisionButtons } from './decision.page.ts';
import { ACCOUNTS, AUDIT, operatorPage } from '../operator.page.ts';

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
    ${halves(html`
      ${card({ title: 'Account', body: facts(person) })}
      ${card({
        title: 'Maker',
        actions: html`<span data-builder="${builderState(person)}">${builderPill(person)}</span>`,
        body: html`<p>${builderWords(person)}</p>
          ${answersOf(person)} ${decisionButtons(person, { token, from: 'person', problem })}`,
      })}
    `)}
    ${purchasesOf(person.id, bought)}
    ${halves(html`
      ${listing('Products', products.map(productLine), 'This person owns no product.')}
      ${listing('Teams', teams.map(teamLine), 'This person is in no team.')}
    `)}
    ${workflows}
  `;
  const view = operatorPage({
    section: ACCOUNTS,
    title: person.displayName,
    state: marks(person),
    actions: button({ text: 'See audit trail', href: `${AUDIT}?person=${person.id}` }),
    lead: `@${person.handle}`,
    content,
  });
  return { ...view, hasCopyButtons: true };
}

function marks({ isOperator, deletedAt }: PersonFacts): HtmlSafeString {
  return html`${isOperator ? pill({ word: 'Operator', tone: 'info' }) : ''}
  ${deletedAt === null ? '' : pill({ word: 'Deleted', tone: 'neutral' })}`;
}

function facts(person: PersonFacts): HtmlSafeString {
  const { id, email, isEmailVerified, createdAt, deletedAt } = person;
  return factList([
    [
      'Email',
      html`${email || 'None'}
      ${email !== '' && !isEmailVerified ? pill({ word: 'Not confirmed', tone: 'warn' }) : ''}`,
    ],
    ['Joined', instant(createdAt)],
    deletedAt && ['Deleted', instant(deletedAt)],
    ['Sessions', html`<span data-sessions>${person.sessions}</span>`],
    ['Passkeys', String(person.passkeys)],
    ['ID', copyable({ id: 'person-id', label: 'ID', text: id, isLine: true })],
  ]);
}

function builderState({ verifiedAt, requestedAt }: PersonFacts): string {
  if (verifiedAt !== null) return 'verified';
  return requestedAt === null ? 'none' : 'waiting';
}

function builderPill({ verifiedAt, requestedAt }: PersonFacts): HtmlSafeString {
  if (verifiedAt !== null) return pill({ word: 'Verified', tone: 'ok' });
  return requestedAt === null
    ? pill({ word: 'Not verified', tone: 'neutral' })
    : pill({ word: 'Waiting', tone: 'warn', isLive: true });
}

function builderWords({ verifiedAt, requestedAt, isEmailVerified }: PersonFacts) {
  if (verifiedAt !== null) {
    return html`Verified since ${instant(verifiedAt)}.
    ${isEmailVerified ? '' : 'The verification counts once the email address is confirmed.'}`;
  }
  if (requestedAt !== null) return html`Verification requested ${instant(requestedAt)}.`;
  return 'This person has not requested verification.';
}

function listing(title: string, lines: HtmlSafeString[], empty: string): HtmlSafeString {
  if (lines.length === 0) return card({ title, body: html`<p class="muted">${empty}</p>` });
  return card({
    title,
    rows: html`<ul class="rows">
      ${lines}
    </ul>`,
  });
}

function productLine(product: ManagedProduct) {
  const { id, slug, name, state, ownerTeamId } = product;
  return html`<li>
    ${named({
      mark: appIcon(product, 34),
      name: html`<a href="${productPath(slug)}/clients">${name}</a>`,
      line: ownerTeamId === null ? 'Personal' : 'Of a team',
    })}
    <span class="actions"
      >${productPill({ state })}${button({
        text: 'Audit trail',
        kind: 'quiet',
        size: 'small',
        href: `${AUDIT}?product=${id}`,
        label: `Audit trail of ${name}`,
      })}</span
    >
  </li>`;
}

function teamLine({ id, name, role }: TeamView) {
  return html`<li>
    <span>${name}<br /><small>${sentenceCase(role)}</small></span>
    ${button({
      text: 'Audit trail',
      kind: 'quiet',
      size: 'small',
      href: `${AUDIT}?team=${id}`,
      label: `Audit trail of ${name}`,
    })}
  </li>`;
}
