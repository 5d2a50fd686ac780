import { html } from '@prairielearn/html';
import { describeAction, describeOrigin } from '../../../domain/audit/audit-actions.ts';
import type { AuditLine, AuditPage } from '../../../domain/audit/audit.repository.ts';
import { describeDetail } from './audit-detail.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { parseUuid } from '../../../domain/shared/ids.ts';
import type { View } from '../../http/route.ts';
import { sentenceCase } from '../../html/sentence-case.ts';

type Props = {
  title: string;
  frame: Omit<View, 'title' | 'content'>;
  path: string;
  trail: AuditPage;
  /** Whether the viewer sees the IP addresses of the actors. */
  showsAddresses: boolean;
  before: string | null;
};

const ADDRESS = {
  'IP address': ({ ip }: AuditLine) => html`<span class="address">${ip ?? '–'}</span>`,
};

/** Each act with its date, person, target and IP address. */
export function auditPage({ title, frame, path, trail, showsAddresses, before }: Props): View {
  return {
    title,
    ...frame,
    content: listCard({
      label: 'Audit trail',
      columns: {
        'Date (UTC)': ({ at }: AuditLine) => shortInstant(at),
        Person: ({ actor, detail }) => actor?.handle ?? describeOrigin(detail),
        Action: what,
        Target: onWhich,
        ...(showsAddresses ? ADDRESS : {}),
      },
      rows: trail.lines,
      pages: { path, before, next: trail.next },
      empty: {
        title: 'No entries yet',
        sentence: 'Changes by people and by the platform appear here, the newest first.',
      },
      ...(showsAddresses && { foot: 'IP addresses are removed after 90 days.' }),
    }),
  };
}

function what(line: AuditLine) {
  const { action } = line;
  return html`<span data-action="${action}">${sentenceCase(describeAction(action))}</span>
    ${describeDetail(line).map(
      ({ name, text }) => html`<br /><small class="muted id">${name}: ${text}</small>`,
    )}`;
}

function onWhich({ subject, subjectPerson, team, product }: AuditLine) {
  const named = [team, product].find((each) => each?.id === subject)?.name;
  const subjectName = subjectPerson?.handle ?? named;
  const about = product && product.id !== subject ? product.name : null;
  return html`<span class="id">${subjectName ?? shorten(subject)}</span> ${
      about === null ? '' : html`<small class="muted">${about}</small>`
    }`;
}

/** Shows the end of an id, which is enough to tell neighbours apart. */
function shorten(subject: string): string {
  return parseUuid(subject) === null ? subject : `...${subject.slice(-8)}`;
}
