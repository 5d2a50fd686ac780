import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  PeopleShown,
  PersonLine,
} from '../../../domain/identity/operators/people-list.repository.ts';
import type { View } from '../../http/route.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField } from '../../html/parts/field.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { totalOf, type Tabs } from '../../html/parts/tabs.ts';
import { shortInstant } from '../../html/dates.ts';
import { pill } from '../../html/parts/pill.ts';
import { BY_NAME, pathWith } from '../../html/parts/paging.ts';
import { decisionButtons } from './decision.page.ts';
import { requestRow } from './request-row.ts';
import { ACCOUNTS, BUILDERS, operatorPage } from '../operator.page.ts';

type Props = {
  shown: PeopleShown;
  handle: string;
  after: string | null;
  people: PersonLine[];
  next: string | null;
  token: string;
};

const EMPTY: Record<PeopleShown, { title: string; sentence: string }> = {
  waiting: {
    title: 'Nobody waits',
    sentence: 'A request appears here as soon as a maker asks for verification.',
  },
  verified: {
    title: 'No makers yet',
    sentence: 'Verify a request, and its maker appears here.',
  },
  everybody: { title: 'No accounts yet', sentence: 'People appear here once they sign up.' },
};

/** Verification requests, or the makers who are verified. */
export function buildersPage({ waiting, ...props }: Props & { waiting: string }): View {
  const { shown, handle } = props;
  const path = (show: PeopleShown) => pathWith(BUILDERS, { show, handle });
  return operatorPage({
    section: BUILDERS,
    title: 'Makers',
    lead: 'A verified maker creates live keys and webhook endpoints, sets prices and sells.',
    content: peopleList(props, {
      path: BUILDERS,
      tabs: {
        label: 'Makers',
        tabs: [
          // The count is that of every handle.
          { path: path('waiting'), label: 'Waiting', ...(handle === '' && { count: waiting }) },
          { path: path('verified'), label: 'Verified' },
        ],
        current: path(shown),
      },
    }),
  });
}

/** All people, verified or not. */
export function accountsPage(props: Props): View {
  return operatorPage({
    section: ACCOUNTS,
    title: 'Accounts',
    lead: html`Everybody who has an account. An email address is found on the
      <a href="/operator">Overview</a>.`,
    content: peopleList(props, { path: ACCOUNTS }),
  });
}

function peopleList(
  { shown, handle, after, people, next, token }: Props,
  { path, tabs: parts }: { path: string; tabs?: Tabs },
): HtmlSafeString {
  const show = path === BUILDERS ? { show: shown } : {};
  return listCard<PersonLine>({
    ...(parts === undefined ? {} : { tabs: parts }),
    filter: search(path, { show, handle }),
    unfiltered: handle === '' ? null : pathWith(path, show),
    label: 'People',
    rows: people,
    empty: EMPTY[shown],
    columns:
      shown === 'waiting'
        ? (line) => requestRow(line, decisionButtons(line, { token, from: shown }))
        : {
            Person: person,
            Email: address,
            ...(shown === 'verified'
              ? {
                  'Verified (UTC)': {
                    cell: ({ verifiedAt }: PersonLine) =>
                      verifiedAt === null ? '' : shortInstant(verifiedAt),
                    isNumber: true,
                  },
                  Decision: (line: PersonLine) => decisionButtons(line, { token, from: shown }),
                }
              : {
                  'Joined (UTC)': {
                    cell: ({ createdAt }: PersonLine) => shortInstant(createdAt),
                    isNumber: true,
                  },
                  Maker: role,
                }),
          },
    pages: {
      path,
      query: { ...show, handle },
      before: after,
      next,
      names: BY_NAME,
      total: parts && totalOf(parts),
    },
  });
}

function search(path: string, { show, handle }: { show: { show?: string }; handle: string }) {
  const start = searchField({
    label: 'Handle starts with',
    name: 'handle',
    value: handle,
    pattern: '[A-Za-z0-9_]*',
    maxLength: 24,
  });
  const shown = show.show ? html`<input type="hidden" name="show" value="${show.show}" />` : html``;
  return filterForm({ path, fields: [shown, start], button: 'Search' });
}

function person({ id, handle, displayName, isOperator }: PersonLine) {
  return html`<a href="/operator/people/${id}">${displayName}</a>
    ${isOperator ? pill({ word: 'Operator', tone: 'info' }) : ''}<br />
    <small>@${handle}</small>`;
}

function address({ email, isEmailVerified }: PersonLine) {
  return html`<span class="id">${email}</span> ${
      isEmailVerified ? '' : html`<br /><small>Not confirmed</small>`
    }`;
}

function role({ verifiedAt, requestedAt }: PersonLine): HtmlSafeString | string {
  if (verifiedAt !== null) return pill({ word: 'Verified', tone: 'ok' });
  return requestedAt === null ? '' : pill({ word: 'Waiting', tone: 'warn', isLive: true });
}
