import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  NotificationLine,
  NotificationPage,
} from '../../../domain/notifications/notification.repository.ts';
import type { NotificationKind } from '../../../domain/notifications/notification-kind.ts';
import type { View } from '../../route.ts';
import { emptyState, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { paging } from '../../html/table.ts';
import { consoleView, NOTIFICATIONS, productPath } from '../console-frame.ts';

type Props = {
  found: NotificationPage;
  before: string | null;
  unread: number;
  notice: unknown;
  formToken: string;
};

type Words = { title: string; says: (line: NotificationLine) => HtmlSafeString };

/** What each kind says, and where it leads. */
const WORDS: Record<NotificationKind, Words> = {
  endpoint_failing: {
    title: 'A webhook delivery is dead',
    says: (line) => html`
      <span class="id">${line.data['url']}</span> did not accept a delivery within all its attempts.
      ${deliveriesOf(line, 'status=dead')}
    `,
  },
  endpoint_disabled: {
    title: 'A webhook endpoint was disabled',
    says: (line) => html`
      <span class="id">${line.data['url']}</span> has accepted nothing for five days. What happens
      is kept for it: once it works, enable it and recover. ${deliveriesOf(line, 'status=held')}
    `,
  },
};

export function notificationsPage(props: Props): View {
  const { found, before, unread, notice } = props;
  const content = html`
    ${unread === 0 ? '' : markButton(props, { notification: 'all', button: 'Mark all as read' })}
    ${
      found.lines.length === 0
        ? emptyState('Nothing to tell. When something of your products needs you, it stands here.')
        : html`<ul class="rows">
            ${found.lines.map((line) => row(line, props))}
          </ul>`
    }
    ${paging({ path: NOTIFICATIONS, before, next: found.next })}
  `;
  return consoleView({ title: 'Notifications', content, notice, unread }, NOTIFICATIONS);
}

function row(line: NotificationLine, props: Props) {
  const { notificationId, kind, product, teamName, createdAt, isRead } = line;
  const { title, says } = WORDS[kind];
  return html`<li data-notification="${notificationId}" data-read="${String(isRead)}">
    <div>
      ${isRead ? title : html`<strong>${title}</strong> <small class="state">new</small>`}<br />
      ${says(line)}<br />
      <small class="muted">
        ${instant(createdAt)}${product === null ? '' : html`, ${product.name}`}${
          teamName === null ? '' : html`, ${teamName}`
        }
      </small>
    </div>
    ${isRead ? '' : markButton(props, { notification: notificationId, button: 'Mark as read' })}
  </li>`;
}

function markButton(
  { formToken: token }: Props,
  { notification, button }: { notification: string; button: string },
) {
  return smallButton({ action: NOTIFICATIONS, token, hidden: { notification }, button });
}

function deliveriesOf({ product, data }: NotificationLine, query: string): HtmlSafeString | '' {
  if (product === null) return '';
  const endpoint = String(data['endpointId']);
  const path = `${productPath(product.slug)}/deliveries?${query}&endpoint=${endpoint}`;
  return html`<a href="${path}">Its deliveries</a>`;
}
