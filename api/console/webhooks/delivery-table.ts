import { html, type HtmlSafeString } from '@prairielearn/html';
import type { DeliveryLine } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { ahead, shortInstant } from '../../html/parts/when.ts';
import { table, type Pages } from '../../html/table.ts';
import {
  answerOf,
  cutId,
  exampleMark,
  inMilliseconds,
  shownAddress,
  deliveryPill,
} from './delivery-labels.ts';

type Props = {
  path: string;
  lines: readonly DeliveryLine[];
  now: Date;
  empty: string;
  /** Deliveries to several endpoints say which one it was. */
  showsEndpoint: boolean;
  pages?: Pages;
};

export function deliveryTable({ path, lines, now, empty, showsEndpoint, pages }: Props) {
  const endpoint = {
    Endpoint: {
      cell: ({ url }: DeliveryLine) => html`<small class="id">${shownAddress(url)}</small>`,
    },
  };
  return table<DeliveryLine>({
    label: 'Webhook deliveries',
    rows: lines,
    empty,
    columns: {
      Event: ({ deliveryId, eventName, isExample }) =>
        html`<a href="${path}/${deliveryId}" data-delivery="${deliveryId}">${eventName}</a>
          ${exampleMark({ isExample })}<br /><small>${cutId(deliveryId)}</small>`,
      State: { cell: ({ status }) => deliveryPill(status), onPhone: 'state' },
      ...(showsEndpoint ? endpoint : {}),
      Answer: { cell: (line) => answerCell(line, now), isNumber: true },
      Attempts: { cell: ({ attempts }) => String(attempts), isNumber: true, onPhone: 'drop' },
      'Time (UTC)': { cell: ({ createdAt }) => shortInstant(createdAt, now), isNumber: true },
    },
    ...(pages === undefined ? {} : { pages }),
  });
}

/** The last answer, and what follows from it. */
function answerCell(line: DeliveryLine, now: Date): HtmlSafeString | string {
  const { lastStatusCode, lastError, durationMs, status, dueAt } = line;
  const next =
    status === 'retrying' && dueAt !== null
      ? html`next ${ahead(dueAt, now)}`
      : inMilliseconds(durationMs);
  return html`${answerOf(lastStatusCode, lastError)}<br /><small>${next}</small>`;
}
