// What a notification of each kind says, in one line and at length, and where it leads.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { NotificationLine } from '../../../domain/notifications/notification.repository.ts';
import type { NotificationKind } from '../../../domain/notifications/notification-kind.ts';
import type { IconName } from '../../html/icon.ts';
import { instant } from '../../html/dates.ts';
import { productPath } from '../console-frame.ts';

type Words = {
  icon: IconName;
  tone: 'ok' | 'warn' | 'bad';
  title: (line: NotificationLine) => string;
  /** What follows from it. */
  says: (line: NotificationLine) => HtmlSafeString | string;
  /** The page for it, below the product's. */
  page: (line: NotificationLine) => string;
  action: string;
};

const LOSSES: Record<string, string> = {
  review: 'The notice is over, and the product still misses a criterion.',
  unlisted: 'The product was unlisted.',
  removed: 'The product was removed.',
};

const purchase = ({ data }: NotificationLine) => `/purchases/${data['purchase']}`;

const deliveries =
  (status: 'dead' | 'held') =>
  ({ data }: NotificationLine) =>
    `/deliveries?status=${status}&endpoint=${String(data['endpointId'])}`;

const seal = () => '/seal';

const WORDS: Record<NotificationKind, Words> = {
  endpoint_failing: {
    icon: 'webhook',
    tone: 'bad',
    title: () => 'A webhook delivery failed',
    says: ({ data }) =>
      html`<span class="id">${data['url']}</span> did not accept a delivery. All attempts failed.`,
    page: deliveries('dead'),
    action: 'See deliveries',
  },
  endpoint_disabled: {
    icon: 'webhook',
    tone: 'bad',
    title: () => 'A webhook endpoint was disabled',
    says: ({ data }) =>
      html`<span class="id">${data['url']}</span> accepted no delivery for five days. We keep new
        events for it. Once it works, enable it and recover the held deliveries.`,
    page: deliveries('held'),
    action: 'See deliveries',
  },
  sale_made: {
    icon: 'receipt-text',
    tone: 'ok',
    title: ({ data }) => `${data['product']} was bought for ${data['amount']}`,
    says: () => '',
    page: purchase,
    action: 'See purchase',
  },
  refund_made: {
    icon: 'repeat',
    tone: 'warn',
    title: ({ data }) => `${data['amount']} went back to a buyer of ${data['product']}`,
    says: () => 'The refund was made.',
    page: purchase,
    action: 'See purchase',
  },
  dispute_opened: {
    icon: 'gavel',
    tone: 'bad',
    title: ({ data }) => `A bank disputes ${data['amount']} for ${data['product']}`,
    says: ({ data }) =>
      html`${data['reason']}.
      ${
        data['due']
          ? html`The platform answers by <strong>${data['due']}</strong>.`
          : 'The platform answers the bank.'
      }`,
    page: () => '/disputes',
    action: 'See disputes',
  },
  seal_earned: {
    icon: 'badge-check',
    tone: 'ok',
    title: () => 'The quality seal was earned',
    says: () => 'The product met every criterion in two reviews in a row, so buyers see the seal.',
    page: seal,
    action: 'See criteria',
  },
  seal_noticed: {
    icon: 'badge-check',
    tone: 'warn',
    title: () => 'The quality seal may be lost',
    says: ({ data }) =>
      html`The product missed a criterion in two reviews in a row. It keeps the seal at least until
      ${instant(new Date(String(data['noticeEndsAt'])))}, and loses it with the first failed review
      after that. A passed review ends the notice.`,
    page: seal,
    action: 'See criteria',
  },
  seal_lost: {
    icon: 'badge-check',
    tone: 'bad',
    title: () => 'The quality seal was lost',
    says: ({ data }) => LOSSES[String(data['reason'])] ?? '',
    page: seal,
    action: 'See criteria',
  },
};

/** A notification in words; no address where its product is gone. */
export function describeNotification(line: NotificationLine) {
  const { icon, tone, title, says, page, action } = WORDS[line.kind];
  const path = line.product === null ? null : productPath(line.product.slug) + page(line);
  return { icon, tone, title: title(line), says: says(line), path, action };
}
