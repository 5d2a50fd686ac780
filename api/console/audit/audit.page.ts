import { html, type HtmlSafeString } from '@prairielearn/html';
import { describeAction } from '../../../domain/audit/audit-actions.ts';
import type { AuditLine, AuditPage } from '../../../domain/audit/audit-list.repository.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import type { View } from '../../route.ts';
import { instant } from '../../html/layout.ts';
import { paging, table } from '../../html/table.ts';

type Props = {
  title: string;
  heading: HtmlSafeString;
  path: string;
  trail: AuditPage;
  /** The IP addresses of those who acted. */
  showsAddresses: boolean;
  before: string | null;
};

const FROM = {
  heading: 'From',
  cell: ({ ip }: AuditLine) => html`<span class="address">${ip ?? '-'}</span>`,
};

/** Who did what, on which, when and from where. */
export function auditPage({ title, heading, path, trail, showsAddresses, before }: Props): View {
  return {
    title,
    content: html`
      ${heading}
      <h2>Audit trail</h2>
      ${table({
        label: 'Audit trail',
        columns: [
          { heading: 'When', cell: ({ at }: AuditLine) => instant(at) },
          { heading: 'Who', cell: ({ actor }) => actor?.handle ?? 'command line' },
          { heading: 'What', cell: what },
          { heading: 'On which', cell: onWhich },
          ...(showsAddresses ? [FROM] : []),
        ],
        rows: trail.lines,
        empty: 'Nothing has been done here yet.',
      })}
      ${paging({ path, before, next: trail.next })}
      ${
        showsAddresses
          ? html`<p class="muted"><small>Addresses are removed after 90 days.</small></p>`
          : ''
      }
    `,
  };
}

function what({ action, detail }: AuditLine) {
  const facts = describeDetail(detail);
  return html`<span data-action="${action}">${describeAction(action)}</span> ${
      facts === '' ? '' : html`<small class="muted">${facts}</small>`
    }`;
}

function describeDetail({ from, to, ...others }: AuditLine['detail']): string {
  const change = to === undefined ? [] : [`${String(from)} \u2192 ${String(to)}`];
  const facts = Object.entries(others).map(([name, value]) => `${name}: ${String(value)}`);
  return [...change, ...facts].join(', ');
}

function onWhich({ subject, subjectPerson, team, product }: AuditLine) {
  const named = [team, product].find((each) => each?.id === subject)?.name;
  const subjectName = subjectPerson?.handle ?? named;
  const about = product && product.id !== subject ? product.name : null;
  return html`<span class="id">${subjectName ?? shorten(subject)}</span> ${
      about === null ? '' : html`<small class="muted">${about}</small>`
    }`;
}

/** The end of an id tells it from its neighbours; nobody reads more of it. */
function shorten(subject: string): string {
  return parseUuid(subject) === null ? subject : `...${subject.slice(-8)}`;
}
