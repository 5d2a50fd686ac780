import { html } from '@prairielearn/html';
import type { DeadLetterPage } from '../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import type { View } from '../../http/route.ts';
import { instant } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { EVENTS, operatorPage } from '../operator.page.ts';
import { eventPath, whyDeadLettered } from './event.page.ts';

type Props = { found: DeadLetterPage; before: string | null };

export function eventsPage({ found, before }: Props): View {
  const content = html`
    <p>We could not process these payment events. Try them again, or set them aside.</p>
    ${table({
      label: 'Unprocessed events',
      rows: found.lines,
      empty: 'No unprocessed events.',
      columns: {
        Received: ({ receivedAt }) => instant(receivedAt),
        Event: (line) =>
          html`<a href="${eventPath(line)}">${line.type}</a><br /><small class="id"
              >${line.id}</small
            >`,
        Problem: ({ reason }) => whyDeadLettered(reason),
        Purchase: ({ purchaseId }) => html`<span class="id">${purchaseId ?? '-'}</span>`,
      },
      pages: { path: EVENTS, before, next: found.next },
    })}
  `;
  return operatorPage({ section: EVENTS, title: 'Unprocessed events', content });
}
