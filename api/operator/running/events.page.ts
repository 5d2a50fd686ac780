import { html } from '@prairielearn/html';
import type { DeadLetterPage } from '../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { paging, table } from '../../html/table.ts';
import { EVENTS, operatorPage } from '../operator.page.ts';
import { pathOfEvent, whyDeadLettered } from './event.page.ts';

type Props = { found: DeadLetterPage; before: string | null };

export function eventsPage({ found, before }: Props): View {
  const content = html`
    <p>We could not process these payment events. Try them again, or set them aside.</p>
    ${table({
      label: 'Unprocessed events',
      rows: found.lines,
      empty: 'No unprocessed events.',
      columns: [
        { heading: 'Received', cell: ({ receivedAt }) => instant(receivedAt) },
        {
          heading: 'Event',
          cell: (line) =>
            html`<a href="${pathOfEvent(line)}">${line.type}</a><br /><small class="id"
                >${line.id}</small
              >`,
        },
        { heading: 'Problem', cell: ({ reason }) => whyDeadLettered(reason) },
        {
          heading: 'Purchase',
          cell: ({ purchaseId }) => html`<span class="id">${purchaseId ?? '-'}</span>`,
        },
      ],
    })}
    ${paging({ path: EVENTS, before, next: found.next })}
  `;
  return operatorPage({ section: EVENTS, title: 'Unprocessed events', content });
}
