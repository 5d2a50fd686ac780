import { html } from '@prairielearn/html';
import type { DeadLetterPage } from '../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import type { View } from '../../http/route.ts';
import { EVENTS, operatorPage } from '../operator.page.ts';
import { eventPath, whyDeadLettered } from './event.page.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { shortInstant } from '../../html/dates.ts';
import { findPath } from './find.page.ts';

type Props = { found: DeadLetterPage; before: string | null; total: string };

export function eventsPage({ found, before, total }: Props): View {
  const content = listCard({
    label: 'Unprocessed events',
    rows: found.lines,
    empty: {
      title: 'No unprocessed events',
      sentence: 'A payment event appears here when nothing can be done with it.',
    },
    columns: {
      Event: (line: DeadLetterPage['lines'][number]) =>
        html`<a href="${eventPath(line)}">${line.type}</a><br /><small class="id"
            >${line.id}</small
          >`,
      Problem: ({ reason }) => whyDeadLettered(reason),
      Purchase: ({ purchaseId }) =>
        purchaseId === null ? '' : html`<a href="${findPath(purchaseId)}">${purchaseId}</a>`,
      'Received (UTC)': { cell: ({ receivedAt }) => shortInstant(receivedAt), isNumber: true },
    },
    pages: { path: EVENTS, before, next: found.next, total },
  });
  return operatorPage({
    section: EVENTS,
    title: 'Unprocessed events',
    lead: 'We could not process these payment events. Try them again, or set them aside.',
    content,
  });
}
