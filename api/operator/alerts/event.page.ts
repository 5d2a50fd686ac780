import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  EventKey,
  ParkedEvent,
} from '../../../domain/billing/processor-inbox/parked-event.repository.ts';
import type { View } from '../../route.ts';
import { form, smallButton } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { EVENTS, operatorPage } from '../operator.page.ts';

type Props = { event: ParkedEvent; token: string; notice: unknown; problem: string | null };

const REASONS: Record<string, string> = {
  unknown_purchase: 'It names no purchase that we know. It is looked for again every few minutes.',
  payment_not_received:
    'It speaks of the return of a payment that is not known to have come. It is followed once that is known; it is looked at again every few minutes.',
  unknown_type: 'Events of this type are not followed.',
};

/** Reasons of ours in words, else what the processor said. */
export function whyParked(reason: string): string {
  return REASONS[reason] ?? reason;
}

export function pathOfEvent({ processor, id }: EventKey): string {
  return `${EVENTS}/${encodeURIComponent(processor)}/${encodeURIComponent(id)}`;
}

export function eventPage(props: Props): View {
  const { event, notice } = props;
  const content = html`
    ${facts(event)} ${event.isWaiting ? decisions(props) : ''}
    <h2>What it says</h2>
    <pre data-body role="region" aria-label="What it says" tabindex="0">
${JSON.stringify(event.body, null, 2)}</pre>
  `;
  return operatorPage({ section: EVENTS, title: event.type, content, notice });
}

function facts({ id, processor, purchaseId, reason, receivedAt, setAside }: ParkedEvent) {
  const shown: [string, HtmlSafeString | string][] = [
    ['Event', html`<code class="id">${id}</code>`],
    ['Processor', processor],
    ['Received', instant(receivedAt)],
    ['Purchase', html`<span class="id">${purchaseId ?? '-'}</span>`],
    ['Parked', reason === null ? 'no longer' : whyParked(reason)],
    ...(setAside === null
      ? []
      : [
          ['Set aside', html`${instant(setAside.at)}, ${setAside.by}: ${setAside.note}`] as [
            string,
            HtmlSafeString,
          ],
        ]),
  ];
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

function decisions({ event, token, problem }: Props): HtmlSafeString {
  const path = pathOfEvent(event);
  return html`
    <p>Its purchase's workflow asks the processor how things stand, and acts on the answer.</p>
    ${smallButton({ action: `${path}/again`, token, button: 'Try again' })}
    <h2>Not to be followed</h2>
    ${form({
      action: `${path}/set-aside`,
      token,
      fields: [{ label: 'Why', name: 'note', problem }],
      button: 'Set aside',
    })}
  `;
}
