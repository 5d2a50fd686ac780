import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PeopleShown,
  PersonLine,
} from '../../../domain/identity/operators/people-list.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { BY_NAME, table } from '../../html/table.ts';
import { answersOf } from './answers.page.ts';
import { decisionButtons } from './decision.page.ts';
import { BUILDERS, operatorPage } from '../operator.page.ts';
import { searchForm } from '../search-form.ts';

type Props = {
  shown: PeopleShown;
  handle: string;
  after: string | null;
  people: PersonLine[];
  next: string | null;
  token: string;
};

const LABELS: Record<PeopleShown, string> = {
  waiting: 'Waiting',
  verified: 'Verified',
  everybody: 'Everyone',
};

const EMPTY: Record<PeopleShown, string> = {
  waiting: 'No verification requests.',
  verified: 'No verified builders.',
  everybody: 'No accounts.',
};

export function buildersPage(props: Props): View {
  const { shown, handle, after, people, next, token } = props;
  const content = html`
    ${search(props)}
    ${table({
      label: LABELS[shown],
      rows: people,
      empty: handle === '' && after === null ? EMPTY[shown] : 'No matching people.',
      columns: {
        Person: person,
        Email: address,
        ...(shown === 'waiting' ? { Answers: answersOf } : {}),
        ...SINCE[shown],
        Actions: (line) => decisionButtons(line, { token, from: shown }),
      },
      pages: {
        path: BUILDERS,
        query: { show: shown, handle },
        before: after,
        next,
        names: BY_NAME,
      },
    })}
  `;
  return operatorPage({ section: BUILDERS, title: 'Builders', content });
}

const SINCE: Record<PeopleShown, Record<string, (line: PersonLine) => HtmlSafeString>> = {
  waiting: { Requested: ({ requestedAt }) => moment(requestedAt) },
  verified: { Verified: ({ verifiedAt }) => moment(verifiedAt) },
  everybody: { Joined: ({ createdAt }) => moment(createdAt) },
};

function search({ shown, handle }: Props): HtmlSafeString {
  return searchForm({
    action: BUILDERS,
    kind: { name: 'show', labels: LABELS, value: shown },
    start: {
      label: 'Handle starts with',
      name: 'handle',
      value: handle,
      pattern: '[A-Za-z0-9_]*',
      maxLength: 24,
    },
  });
}

function person({ id, handle, displayName, isOperator }: PersonLine) {
  return html`<a href="/operator/people/${id}">${handle}</a>
    ${isOperator ? html`<mark>Operator</mark>` : ''}<br />
    <small class="muted id">${displayName}</small>`;
}

function address({ email, isEmailVerified }: PersonLine) {
  return html`<span class="id">${email}</span> ${
      isEmailVerified ? '' : html`<small class="muted">Not confirmed</small>`
    }`;
}

function moment(at: Date | null): HtmlSafeString {
  return at === null ? html`-` : instant(at);
}
