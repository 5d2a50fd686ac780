import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  NotificationLine,
  NotificationPage,
} from '../../../domain/notifications/notification.repository.ts';
import type { View } from '../../http/route.ts';
import { appIcon } from '../../html/emblems.ts';
import { instant } from '../../html/dates.ts';
import { emptyState } from '../../html/parts/empty-state.ts';
import { smallButton } from '../../html/form.ts';
import { icon } from '../../html/icon.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { needs } from '../../html/parts/needs.ts';
import { pill } from '../../html/parts/pill.ts';
import { paging } from '../../html/parts/paging.ts';
import { toNeed } from '../requests/issue-row.ts';
import type { FailingProduct } from '../requests/find-issues.ts';
import { NOTIFICATIONS } from '../console-frame.ts';
import type { ConsoleScope } from '../console-scope.ts';
import { consoleView } from '../team-frame.ts';
import { describeNotification } from './notification-words.ts';

type Props = {
  found: NotificationPage;
  failing: FailingProduct[];
  before: string | null;
  scope: ConsoleScope;
  formToken: string;
};

export function notificationsPage(props: Props): View {
  const { found, failing, before, scope } = props;
  const content = html`
    ${failing.map(failingNow)}
    ${
      found.lines.length > 0
        ? card({
            rows: html`<ul class="news long">
              ${found.lines.map((line) => row(line, props))}
            </ul>`,
          })
        : failing.length === 0
          ? emptyState({
              title: "You're all caught up",
              sentence:
                'Sales, refunds, disputes and failing endpoints of your products will appear here.',
              link: { path: '/console', label: 'See products' },
            })
          : ''
    }
    ${paging({ path: NOTIFICATIONS, before, next: found.next }, found.lines.length)}
  `;
  const all = { notification: 'all', button: 'Mark all as read' };
  const actions = scope.unread === 0 ? {} : { actions: markButton(props, all) };
  return consoleView({ title: 'Notifications', content, scope, ...actions }, NOTIFICATIONS);
}

function failingNow({ product, issues }: FailingProduct): HtmlSafeString {
  return html`<div data-failing="${product.slug}">
    ${card({
      title: `${product.name}: failing now`,
      rows: needs(issues.map((issue) => toNeed(product, issue))),
    })}
  </div>`;
}

function row(line: NotificationLine, props: Props) {
  const { notificationId, product, teamName, createdAt, isRead } = line;
  const { icon: name, tone, title, says, path, action } = describeNotification(line);
  return html`<li
    class="${tone}"
    data-notification="${notificationId}"
    data-read="${String(isRead)}"
  >
    <span class="glyph">${icon(name)}</span>
    <div>
      ${isRead ? html`<span>${title}</span>` : html`<strong>${title}</strong>`}
      ${isRead ? '' : pill({ word: 'New', tone: 'info' })}
      ${says === '' ? '' : html`<p>${says}</p>`}
      <p class="where">
        ${product === null ? '' : html`<span>${appIcon(product, 24)}${product.name}</span>`}
        ${teamName === null ? '' : html`<span>${teamName}</span>`} ${instant(createdAt)}
      </p>
    </div>
    <div class="actions">
      ${path === null ? '' : button({ text: action, href: path, size: 'small' })}
      ${
        isRead
          ? ''
          : markButton(props, {
              notification: notificationId,
              button: 'Mark as read',
              label: `Mark as read: ${title}`,
            })
      }
    </div>
  </li>`;
}

function markButton(
  { formToken: token }: Props,
  { notification, ...words }: { notification: string; button: string; label?: string },
) {
  return smallButton({ action: NOTIFICATIONS, token, hidden: { notification }, ...words });
}
