import { html, type HtmlSafeString } from '@prairielearn/html';
import { describeAction, describeOrigin } from '../../../domain/audit/audit-actions.ts';
import type { AuditLine, AuditPage } from '../../../domain/audit/audit.repository.ts';
import { describeDetail } from '../../console/teams/audit-detail.ts';
import type { View } from '../../http/route.ts';
import { filterForm, searchField } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { sentenceCase } from '../../html/status-labels.ts';
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
  const content = html`
    ${filterForm({
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
    })}
    ${table({
      label: 'Audit trail',
      rows: lines,
      empty: 'No matching entries.',
      columns: {
        Date: ({ at }) => instant(at),
        Person: who,
        Action: what,
        Target: on,
        'IP address': ({ ip }) => html`<span class="id">${ip ?? '-'}</span>`,
      },
      pages: { path: AUDIT, query, before, next },
    })}
  `;
  return operatorPage({ section: AUDIT, title: 'Audit trail', content });
}

function who({ actor, detail }: AuditLine) {
  if (actor === null) return describeOrigin(detail);
  return html`<a href="/operator/people/${actor.id}">${actor.handle}</a>`;
}

function what(line: AuditLine) {
  const { action } = line;
  return html`${sentenceCase(describeAction(action))}<br /><code>${action}</code> ${describeDetail(
      line,
    ).map(({ name, text }) => html`<br /><small class="id">${name}: ${text}</small>`)}`;
}

function on({ subject, subjectPerson, product, team }: AuditLine): HtmlSafeString {
  const shown = subjectPerson
    ? html`<a href="/operator/people/${subjectPerson.id}">${subjectPerson.handle}</a>`
    : html`<small class="id">${subject}</small>`;
  return html`${shown}
  ${product === null ? '' : html`<br /><a href="${AUDIT}?product=${product.id}">${product.name}</a>`}
  ${team === null ? '' : html`<br /><a href="${AUDIT}?team=${team.id}">${team.name}</a>`}`;
}
