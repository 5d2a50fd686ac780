import { html, type HtmlSafeString } from '@prairielearn/html';
import type { AuditLine, AuditPage } from '../../domain/audit/audit-list.store.ts';
import type { View } from '../route.ts';
import { instant } from '../views/layout.ts';
import { paging, table } from '../views/table.ts';
import type { AuditSearch } from './audit.routes.ts';
import { AUDIT, operatorPage } from './operator.page.ts';

const FIELDS = [
  { name: 'action', label: 'Action starts with', hint: 'client.' },
  { name: 'person', label: 'Person', hint: 'handle or id' },
  { name: 'product', label: 'Product', hint: 'slug or id' },
  { name: 'team', label: 'Team', hint: 'id' },
] as const;

export function auditPage({ search, lines, next }: AuditPage & { search: AuditSearch }): View {
  const { action, person, product, team, before } = search;
  const query = { action, person, product, team: team ?? undefined };
  const content = html`
    <form method="get" action="${AUDIT}" class="search" role="search">
      ${FIELDS.map((field) => searchField(field, search[field.name] ?? ''))}
      <button type="submit" class="outline">Show</button>
    </form>
    ${table({
      label: 'Audit trail',
      rows: lines,
      empty: 'Nothing was done that fits.',
      columns: [
        { heading: 'When', cell: ({ at }) => instant(at) },
        { heading: 'Who', cell: who },
        { heading: 'What', cell: what },
        { heading: 'On', cell: on },
        { heading: 'From', cell: ({ ip }) => html`<span class="id">${ip ?? '-'}</span>` },
      ],
    })}
    ${paging({ path: AUDIT, query, before, next })}
  `;
  return operatorPage({ section: AUDIT, title: 'Audit trail', content });
}

function searchField({ name, label, hint }: (typeof FIELDS)[number], value: string) {
  return html`<label>
    ${label}
    <input
      name="${name}"
      value="${value}"
      placeholder="${hint}"
      maxlength="81"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
    />
  </label>`;
}

function who({ actor }: AuditLine) {
  if (actor === null) return 'command line';
  return html`<a href="/operator/people/${actor.id}">${actor.handle}</a>`;
}

function what({ action, detail }: AuditLine) {
  const changed = Object.entries(detail);
  return html`<code>${action}</code> ${changed.map(
      ([name, value]) => html`<br /><small class="id">${name}: ${describe(value)}</small>`,
    )}`;
}

function describe(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '-');
}

function on({ action, subject, product, team }: AuditLine): HtmlSafeString {
  // Of these two the subject is a person.
  const isPerson = /^(builder|operator)\./.test(action);
  const shown = isPerson
    ? html`<a href="/operator/people/${subject}">${subject}</a>`
    : html`${subject}`;
  return html`<small class="id">${shown}</small>
    ${product === null ? '' : html`<br /><a href="${AUDIT}?product=${product.id}">${product.name}</a>`}
    ${team === null ? '' : html`<br /><a href="${AUDIT}?team=${team.id}">${team.name}</a>`}`;
}
