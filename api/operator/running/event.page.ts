import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  EventKey,
  DeadLetter,
} from '../../../domain/billing/processor-inbox/dead-letter.repository.ts';
import type { View } from '../../http/route.ts';
import { form, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { factList, type Fact } from '../../html/table.ts';
import { EVENTS, operatorPage } from '../operator.page.ts';

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
    ${facts(event)} ${event.isWaiting ? decisions(props) : ''}
    <h2>Payload</h2>
    <pre data-body role="region" aria-label="Payload" tabindex="0">
${JSON.stringify(event.body, null, 2)}</pre>
  `;
  return operatorPage({ section: EVENTS, title: event.type, content });
}

function facts({ id, processor, purchaseId, reason, receivedAt, setAside }: DeadLetter) {
  const shown: Fact[] = [
    ['Event', html`<code class="id">${id}</code>`],
    ['Processor', processor],
    ['Received', instant(receivedAt)],
    ['Purchase', html`<span class="id">${purchaseId ?? '-'}</span>`],
    ['Problem', reason === null ? 'None' : whyDeadLettered(reason)],
    ...(setAside === null
      ? []
      : [
          [
            'Set aside',
            html`${instant(setAside.at)}, ${setAside.by}: ${setAside.note}`,
          ] satisfies Fact,
        ]),
  ];
  return factList(shown);
}

function decisions({ event, token, problem }: Props): HtmlSafeString {
  const path = eventPath(event);
  return html`
    <p>The workflow of the purchase reads the current state from the payment processor.</p>
    ${smallButton({ action: `${path}/again`, token, button: 'Try again' })}
    <h2>Set aside</h2>
    ${form({
      action: `${path}/set-aside`,
      token,
      fields: [{ label: 'Reason', name: 'note', problem }],
      button: 'Set aside',
      isMain: true,
    })}
  `;
}
