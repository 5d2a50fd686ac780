import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  EventKey,
  DeadLetter,
} from '../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import type { View } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { instant } from '../../html/dates.ts';
import { form, smallButton } from '../../html/form.ts';
import { card } from '../../html/parts/card.ts';
import { code } from '../../html/parts/code.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { factList } from '../../html/parts/facts.ts';
import { halves } from '../../html/parts/beside.ts';
import { EVENTS, operatorPage } from '../operator.page.ts';
import { findPath } from './find.page.ts';

type Props = { event: DeadLetter; token: string; problem: string | null };

const REASONS: Record<string, string> = {
  unknown_purchase: 'Event for an unknown purchase. We look for the purchase every few minutes.',
  payment_not_received: 'Refund for an unknown payment. We look for the payment every few minutes.',
  unknown_type: 'We do not process events of this type.',
};

/** Our reasons as text; other reasons as the processor gave them. */
export function whyDeadLettered(reason: string): string {
  return REASONS[reason] ?? reason;
}

export function eventPath({ processor, id }: EventKey): string {
  return `${EVENTS}/${encodeURIComponent(processor)}/${encodeURIComponent(id)}`;
}

export function eventPage(props: Props): View {
  const { event } = props;
  const content = html`
    ${halves(html`
      ${card({ title: 'Event', body: facts(event) })} ${event.isWaiting ? decisions(props) : ''}
    `)}
    ${code({
      id: 'payload',
      programs: [
        {
          language: 'Payload',
          text: html`<span data-body>${JSON.stringify(event.body, null, 2)}</span>`,
        },
      ],
    })}
  `;
  const view = operatorPage({
    section: EVENTS,
    title: event.type,
    state: event.isWaiting
      ? pill({ word: 'Unprocessed', tone: 'warn', isLive: true })
      : pill({ word: event.setAside === null ? 'Processed' : 'Set aside', tone: 'neutral' }),
    content,
  });
  return { ...view, hasCopyButtons: true };
}

function facts({ id, processor, purchaseId, reason, receivedAt, setAside }: DeadLetter) {
  return factList([
    ['Problem', reason === null ? 'None' : whyDeadLettered(reason)],
    ['Received', instant(receivedAt)],
    ['Processor', sentenceCase(processor)],
    purchaseId !== null && ['Purchase', html`<a href="${findPath(purchaseId)}">${purchaseId}</a>`],
    setAside && ['Set aside', html`${instant(setAside.at)} by @${setAside.by}: ${setAside.note}`],
    ['ID', copyable({ id: 'event-id', label: 'ID', text: id, isLine: true })],
  ]);
}

function decisions({ event, token, problem }: Props): HtmlSafeString {
  const path = eventPath(event);
  return card({
    title: 'Decide',
    body: html`<p>
        To try again, the workflow of the purchase reads the current state from the payment
        processor.
      </p>
      ${smallButton({ action: `${path}/again`, token, button: 'Try again', isMain: true })}
      ${form({
        action: `${path}/set-aside`,
        token,
        fields: [
          {
            label: 'Reason to set it aside',
            name: 'note',
            hint: 'Nothing is done with the event any more.',
            problem,
          },
        ],
        button: 'Set aside',
      })}`,
  });
}
