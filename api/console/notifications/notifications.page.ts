import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  NotificationLine,
  NotificationPage,
} from '../../../domain/notifications/notification.repository.ts';
import type { NotificationKind } from '../../../domain/notifications/notification-kind.ts';
import type { View } from '../../http/route.ts';
import { emptyState, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { paging } from '../../html/table.ts';
import { issueRow } from '../requests/issue-row.ts';
import type { FailingProduct } from '../requests/find-issues.ts';
import { consoleView, NOTIFICATIONS, productPath } from '../console-frame.ts';

type Props = {
  found: NotificationPage;
  failing: FailingProduct[];
  before: string | null;
  unread: number;
  formToken: string;
};

type Words = { title: string; says: (line: NotificationLine) => HtmlSafeString };

/** The text and the link of each kind. */
const WORDS: Record<NotificationKind, Words> = {
  endpoint_failing: {
    title: 'A webhook delivery failed',
    says: (line) => html`
      <span class="id">${line.data['url']}</span> did not accept a delivery. All attempts failed.
      ${deliveriesOf(line, 'status=dead')}
    `,
  },
  endpoint_disabled: {
    title: 'A webhook endpoint was disabled',
    says: (line) => html`
      <span class="id">${line.data['url']}</span> accepted no delivery for five days. We keep new
      events for it. Once it works, enable it and recover the held deliveries.
      ${deliveriesOf(line, 'status=held')}
    `,
  },
  sale_made: {
    title: 'A sale',
    says: (line) => html`
      ${line.data['product']} was bought for ${line.data['amount']}. ${purchaseOf(line)}
    `,
  },
  refund_made: {
    title: 'A refund was made',
    says: (line) => html`
      We sent ${line.data['amount']} back to a buyer of ${line.data['product']}. ${purchaseOf(line)}
    `,
  },
  dispute_opened: {
    title: 'A payment is disputed',
    says: (line) => html`
      The bank disputes ${line.data['amount']} for ${line.data['product']}: ${line.data['reason']}.
      ${line.data['due'] ? html`The platform answers by <strong>${line.data['due']}</strong>.` : ''}
      ${disputesOf(line)}
    `,
  },
  seal_earned: {
    title: 'The quality seal was earned',
    says: (line) => html`
      The product met every criterion in two reviews in a row, so buyers see the seal.
      ${sealOf(line)}
    `,
  },
  seal_noticed: {
    title: 'The quality seal may be lost',
    says: (line) => html`
      The product missed a criterion in two reviews in a row. It keeps the seal at least until
      ${instant(new Date(String(line.data['noticeEndsAt'])))}, and loses it with the first failed
      review after that. A passed review ends the notice. ${sealOf(line)}
    `,
  },
  seal_lost: {
    title: 'The quality seal was lost',
    says: (line) => html`${LOSSES[String(line.data['reason'])] ?? ''} ${sealOf(line)}`,
  },
};

const LOSSES: Record<string, string> = {
  review: 'The notice is over, and the product still misses a criterion.',
  unlisted: 'The product was unlisted.',
  removed: 'The product was removed.',
};

export function notificationsPage(props: Props): View {
  const { found, failing, before, unread } = props;
  const content = html`
    ${failing.map(failingNow)}
    ${unread === 0 ? '' : markButton(props, { notification: 'all', button: 'Mark all as read' })}
    ${
      found.lines.length === 0
        ? failing.length === 0
          ? emptyState("You're all caught up.")
          : ''
        : html`<ul class="rows">
            ${found.lines.map((line) => row(line, props))}
          </ul>`
    }
    ${paging({ path: NOTIFICATIONS, before, next: found.next })}
  `;
  return consoleView({ title: 'Notifications', content, unread }, NOTIFICATIONS);
}

function failingNow({ product, issues }: FailingProduct): HtmlSafeString {
  return html`<section data-failing="${product.slug}">
    <h2>${product.name}: failing now</h2>
    <ul class="issues">
      ${issues.map((issue) => issueRow(product, issue))}
    </ul>
  </section>`;
}

function row(line: NotificationLine, props: Props) {
  const { notificationId, kind, product, teamName, createdAt, isRead } = line;
  const { title, says } = WORDS[kind];
  return html`<li data-notification="${notificationId}" data-read="${String(isRead)}">
    <div>
      ${isRead ? title : html`<strong>${title}</strong> <small class="state">New</small>`}<br />
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

function purchaseOf({ product, data }: NotificationLine): HtmlSafeString | '' {
  if (product === null) return '';
  const path = `${productPath(product.slug)}/purchases/${data['purchase']}`;
  return html`<a href="${path}">View the purchase</a>`;
}

function disputesOf({ product }: NotificationLine): HtmlSafeString | '' {
  if (product === null) return '';
  return html`<a href="${productPath(product.slug)}/disputes">View disputes</a>`;
}

function sealOf({ product }: NotificationLine): HtmlSafeString | '' {
  if (product === null) return '';
  return html`<a href="${productPath(product.slug)}/seal">View the criteria</a>`;
}

function deliveriesOf({ product, data }: NotificationLine, query: string): HtmlSafeString | '' {
  if (product === null) return '';
  const endpoint = String(data['endpointId']);
  const path = `${productPath(product.slug)}/deliveries?${query}&endpoint=${endpoint}`;
  return html`<a href="${path}">View deliveries</a>`;
}
