import { html } from '@prairielearn/html';
import { ALERT_KINDS } from '../../../domain/alerts/alert-kind.ts';
import type { AlertLine, AlertPage } from '../../../domain/alerts/alert.repository.ts';
import { readReference } from '../../../domain/search/pasted-reference.ts';
import type { View } from '../../http/route.ts';
import { alertGuide } from '../../html/guide-links.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { smallButton } from '../../html/form.ts';
import { button } from '../../html/parts/button.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { ALERTS, operatorPage } from '../operator.page.ts';
import { findPath } from './find.page.ts';

export const ALERTS_SHOWN = ['open', 'resolved'] as const;

type Props = {
  show: (typeof ALERTS_SHOWN)[number];
  before: string | null;
  found: AlertPage;
  /** How many are open. */
  open: string;
  token: string;
  /** The URL of the alert's subject in Temporal; null if Temporal has none. */
  toUrl(line: AlertLine): string | null;
};

export function alertsPage({ show, before, found, open, token, toUrl }: Props): View {
  const path = (shown: Props['show']) => `${ALERTS}?show=${shown}`;
  const last = {
    open: {
      Decision: ({ id, kind }: AlertLine) =>
        smallButton({
          action: ALERTS,
          token,
          hidden: { alert: id },
          button: 'Resolve',
          label: `Resolve: ${ALERT_KINDS[kind] ?? kind}`,
        }),
    },
    resolved: { 'Resolved (UTC)': { cell: resolution, isNumber: true } },
  };
  const content = listCard({
    tabs: {
      label: 'Alerts',
      tabs: [
        { path: path('open'), label: 'Open', count: open },
        { path: path('resolved'), label: 'Resolved' },
      ],
      current: path(show),
    },
    label: 'Alerts',
    rows: found.lines,
    empty: {
      title: show === 'open' ? 'No open alerts' : 'No resolved alerts',
      sentence:
        show === 'open'
          ? 'An alert opens here, and is mailed to operators, when something needs a person.'
          : 'Resolved alerts stay here.',
    },
    columns: {
      Alert: what,
      Subject: (line: AlertLine) => about(line, toUrl(line)),
      'Raised (UTC)': { cell: raised, isNumber: true },
      ...last[show],
    },
    pages: {
      path: ALERTS,
      query: { show },
      before,
      next: found.next,
      total: show === 'open' ? open : undefined,
    },
  });
  return operatorPage({ section: ALERTS, title: 'Alerts', content });
}

function raised({ raisedAt, lastRaisedAt, times }: AlertLine) {
  if (times === 1) return shortInstant(raisedAt);
  return html`${shortInstant(raisedAt)}<br />
    <small>${times} times, most recently ${shortInstant(lastRaisedAt)}</small>`;
}

function what({ kind }: AlertLine) {
  return html`<strong>${ALERT_KINDS[kind] ?? kind}</strong><br /><small data-alert="${kind}"
      >${kind}</small
    >
    <div class="actions">
      ${button({ text: 'What to do', kind: 'quiet', icon: 'book-open', href: alertGuide(kind) })}
    </div>`;
}

function about({ subject, detail }: AlertLine, url: string | null) {
  const reference = [detail['workflow'], subject].find(hasPage);
  return html`<code class="id">${subject}</code>
    ${Object.entries(detail).map(
      ([name, value]) =>
        html`<br /><small class="id">${sentenceCase(name)}: ${value ?? 'none'}</small>`,
    )}
    <div class="actions">
      ${
        reference === undefined
          ? ''
          : button({ text: 'Open in the console', href: findPath(reference) })
      }
      ${url === null ? '' : button({ text: 'Workflows in Temporal', href: url, isExternal: true })}
    </div>`;
}

/** An id, not a name: the subject of an alert may be a word. */
function hasPage(text: unknown): text is string {
  const reference = typeof text === 'string' ? readReference(text) : null;
  return reference !== null && reference.is !== 'name';
}

function resolution({ resolvedAt, resolvedBy }: AlertLine) {
  if (resolvedAt === null) return '';
  return html`${shortInstant(resolvedAt)}<br /><small
      >${resolvedBy === null ? 'Automatically' : `by @${resolvedBy}`}</small
    >`;
}
