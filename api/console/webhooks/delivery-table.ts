import { html, type HtmlSafeString } from '@prairielearn/html';
import { cutId } from '../../html/copy.ts';
import type { DeliveryLine } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import type { table } from '../../html/table.ts';
import { ahead, shortInstant } from '../../html/dates.ts';
import {
  answerOf,
  examplePill,
  inMilliseconds,
  shownAddress,
  deliveryPill,
} from './delivery-labels.ts';

type Columns = Parameters<typeof table<DeliveryLine>>[0]['columns'];

type Shown = {
  path: string;
  now: Date;
  /** Deliveries to several endpoints say which one it was. */
  showsEndpoint: boolean;
  /** The rows of a day stand below its name. */
  isByDay?: boolean;
};

/** The columns of a table of deliveries. */
export function deliveryColumns({ path, now, showsEndpoint, isByDay = false }: Shown): Columns {
  const endpoint: Columns = {
    Endpoint: { cell: ({ url }) => html`<small class="id">${shownAddress(url)}</small>` },
  };
  return {
    Event: ({ deliveryId, eventName, isExample }) =>
      html`<a href="${path}/${deliveryId}" data-delivery="${deliveryId}">${eventName}</a>
        ${examplePill({ isExample })}<br /><small>${cutId(deliveryId)}</small>`,
    State: { cell: ({ status }) => deliveryPill(status), onPhone: 'state' },
    ...(showsEndpoint ? endpoint : {}),
    Answer: { cell: (line) => answerCell(line, now), isNumber: true },
    Attempts: { cell: ({ attempts }) => String(attempts), isNumber: true, onPhone: 'drop' },
    'Time (UTC)': {
      cell: ({ createdAt }) => shortInstant(createdAt, isByDay ? createdAt : now),
      isNumber: true,
    },
  };
}

/** The last answer, and what follows from it. */
function answerCell(line: DeliveryLine, now: Date): HtmlSafeString | string {
  const { lastStatusCode, lastError, durationMs, status, dueAt } = line;
  if (lastStatusCode === null && lastError === null) return '\u2013';
  const next =
    status === 'retrying' && dueAt !== null
      ? html`next ${ahead(dueAt, now)}`
      : inMilliseconds(durationMs);
  return html`${answerOf(lastStatusCode, lastError)}<br /><small>${next}</small>`;
}
