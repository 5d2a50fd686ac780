import { html, type HtmlSafeString } from '@prairielearn/html';
import { describeAction, describeOrigin } from '../../../domain/audit/audit-actions.ts';
import type { AuditLine, AuditPage } from '../../../domain/audit/audit.repository.ts';
import { describeDetail } from '../../console/teams/audit-detail.ts';
import type { View } from '../../http/route.ts';
import { filterForm } from '../../html/parts/filter-form.ts';
import { searchField } from '../../html/parts/field.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { AUDIT, operatorPage } from '../operator.page.ts';

export type AuditSearch = {
  /** The start of an action's name. */
  action: string;
  /** Ids, or a handle and a slug. */
  person: string;
  product: string;
  team: string | null;
  before: string | null;
};

const FIELDS = [
  { name: 'action', label: 'Action starts with', hint: 'client.' },
  { name: 'person', label: 'Person', hint: 'Handle or ID' },
  { name: 'product', label: 'Product', hint: 'Slug or ID' },
  { name: 'team', label: 'Team', hint: 'ID' },
] as const;

export function auditPage({ search, lines, next }: AuditPage & { search: AuditSearch }): View {
  const { action, person, product, team, before } = search;
  const query = { action, person, product, team: team ?? undefined };
  const isFiltered = Object.values(query).some((value) => value !== undefined && value !== '');
  const content = listCard({
    filter: filterForm({
      path: AUDIT,
      fields: FIELDS.map(({ name, label, hint }) =>
        searchField({
          label,
          name,
          value: search[name] ?? '',
          maxLength: 81,
          placeholder: hint,
        }),
      ),
      isFiltered,
    }),
    unfiltered: isFiltered ? AUDIT : null,
    label: 'Audit trail',
    rows: lines,
    empty: {
      title: 'No entries yet',
      sentence: 'What people and operators change is written here.',
    },
    columns: {
      Action: what,
      By: who,
      Target: on,
      'IP address': {
        cell: ({ ip }) => html`<span class="id">${ip ?? ''}</span>`,
        onPhone: 'drop',
      },
      'Date (UTC)': { cell: ({ at }) => shortInstant(at), isNumber: true },
    },
    pages: { path: AUDIT, query, before, next },
  });
  return operatorPage({
    section: AUDIT,
    title: 'Audit trail',
    lead: 'Every change, who made it, and on what. Entries are never changed.',
    content,
  });
}

function who({ actor, detail }: AuditLine) {
  if (actor === null) return describeOrigin(detail);
  return html`<a href="/operator/people/${actor.id}">@${actor.handle}</a>`;
}

function what(line: AuditLine) {
  const { action } = line;
  return html`<strong>${sentenceCase(describeAction(action))}</strong><br /><small>${action}</small>
    ${describeDetail(line).map(
      ({ name, text }) => html`<br /><small class="id">${name}: ${text}</small>`,
    )}`;
}

function on({ subject, subjectPerson, product, team }: AuditLine): HtmlSafeString {
  const named = [
    ...(subjectPerson === null
      ? []
      : [html`<a href="/operator/people/${subjectPerson.id}">@${subjectPerson.handle}</a>`]),
    ...(product === null
      ? []
      : [html`<a href="${AUDIT}?product=${product.id}">${product.name}</a>`]),
    ...(team === null ? [] : [html`<a href="${AUDIT}?team=${team.id}">${team.name}</a>`]),
  ];
  const id = subjectPerson === null ? cut(subject) : '';
  return html`${named.map((each) => html`${each}<br />`)}${id}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id, a UUID cut in its middle. */
function cut(id: string): HtmlSafeString {
  if (!UUID.test(id)) return html`<small class="id">${id}</small>`;
  return html`<small title="${id}">${id.slice(0, 8)}…${id.slice(-6)}</small>`;
}
