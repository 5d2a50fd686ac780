import { html } from '@prairielearn/html';
import { ALERT_KINDS } from '../../../domain/alerts/alert-kind.ts';
import type { AlertLine, AlertPage } from '../../../domain/alerts/alert.repository.ts';
import { readReference } from '../../../domain/search/pasted-reference.ts';
import type { View } from '../../http/route.ts';
import { alertGuide } from '../../html/guide-links.ts';
import { smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { ALERTS, operatorPage } from '../operator.page.ts';
import { findPath } from './find.page.ts';

export const ALERTS_SHOWN = ['open', 'resolved'] as const;

type Props = {
  show: (typeof ALERTS_SHOWN)[number];
  before: string | null;
  found: AlertPage;
  token: string;
  /** The URL of the alert's subject in Temporal; null if Temporal has none. */
  toUrl(line: AlertLine): string | null;
};

export function alertsPage({ show, before, found, token, toUrl }: Props): View {
  const other = show === 'open' ? 'resolved' : 'open';
  const last = {
    open: {
      Actions: ({ id }: AlertLine) =>
        smallButton({ action: ALERTS, token, hidden: { alert: id }, button: 'Resolve' }),
    },
    resolved: { Resolved: resolution },
  };
  const content = html`
    <p>
      <a href="${ALERTS}?show=${other}"
        >${other === 'open' ? 'Show open alerts' : 'Show resolved alerts'}</a
      >
    </p>
    ${table({
      label: 'Alerts',
      rows: found.lines,
      empty: show === 'open' ? 'No open alerts.' : 'No resolved alerts.',
      columns: {
        Raised: raised,
        Alert: what,
        Subject: (line: AlertLine) => about(line, toUrl(line)),
        ...last[show],
      },
      pages: { path: ALERTS, query: { show }, before, next: found.next },
    })}
  `;
  return operatorPage({ section: ALERTS, title: 'Alerts', content });
}

function raised({ raisedAt, lastRaisedAt, times }: AlertLine) {
  if (times === 1) return instant(raisedAt);
  return html`${instant(raisedAt)}<br />
    <small class="muted">${times} times, most recently ${instant(lastRaisedAt)}</small>`;
}

function what({ kind }: AlertLine) {
  return html`${ALERT_KINDS[kind] ?? kind}<br /><code data-alert="${kind}">${kind}</code><br /><a
      href="${alertGuide(kind)}"
      >What to do</a
    >`;
}

function about({ subject, detail }: AlertLine, url: string | null) {
  const link = url && html`<br /><a href="${url}">Workflows in Temporal</a>`;
  const reference = [detail['workflow'], subject].find(hasPage);
  const found = reference && html`<br /><a href="${findPath(reference)}">Open in the console</a>`;
  return html`<span class="id">${subject}</span>${found} ${link}
    ${Object.entries(detail).map(
      ([name, value]) => html`<br /><small class="id">${name}: ${value ?? '-'}</small>`,
    )}`;
}

/** An id, not a name: the subject of an alert may be a word. */
function hasPage(text: unknown): text is string {
  const reference = typeof text === 'string' ? readReference(text) : null;
  return reference !== null && reference.is !== 'name';
}

function resolution({ resolvedAt, resolvedBy }: AlertLine) {
  if (resolvedAt === null) return '-';
  return html`${instant(resolvedAt)}<br /><small class="muted"
      >${resolvedBy ?? 'Automatically'}</small
    >`;
}
