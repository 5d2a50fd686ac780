import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  AttemptLine,
  DeliveryDetail,
} from '../../../domain/webhooks/deliveries/delivery-detail.repository.ts';
import { envelopeHeaders } from '../../../domain/webhooks/envelope-headers.ts';
import { LAST_STEP } from '../../../domain/webhooks/deliveries/retry-schedule.ts';
import { stepsAhead, type StepAhead } from '../../../domain/webhooks/deliveries/steps-ahead.ts';
import type { View } from '../../route.ts';
import { form } from '../../html/form.ts';
import { instant } from '../../html/layout.ts';
import { notice } from '../../html/notices.ts';
import { table } from '../../html/table.ts';
import { productHeading, productPath, type FramedProduct } from '../console-frame.ts';
import { answerOf, inMilliseconds, statusMark } from './delivery-words.ts';

type Props = {
  product: FramedProduct;
  delivery: DeliveryDetail;
  attempts: AttemptLine[];
  /** Null where there is no workflow, or no page for it. */
  workflowUrl: string | null;
  /** Whether this role may read what was sent and answered. */
  mayReadPayloads: boolean;
  /** Why this person may not retry; null where they may. */
  blockReason: string | null;
  notice: unknown;
  formToken: string;
};

export function deliveryPage(props: Props): View {
  const { product, delivery, workflowUrl } = props;
  return {
    title: `Delivery of ${product.name}`,
    content: html`
      ${productHeading(product, '/deliveries')}
      <h2>${delivery.eventName} ${statusMark(delivery.status)}</h2>
      ${notice(props.notice)} ${facts(delivery)}
      ${
        workflowUrl === null
          ? ''
          : html`<p><a href="${workflowUrl}" rel="noreferrer">Its workflow in Temporal</a></p>`
      }
      ${retry(props)}
      <section>
        <h2>Attempts</h2>
        ${attemptTable(props)}
      </section>
      <section>
        <h2>Ahead</h2>
        ${schedule(delivery)}
      </section>
      <section>
        <h2>What is sent</h2>
        ${sent(props)}
      </section>
    `,
  };
}

function facts({ deliveryId, url, endpointState, createdAt, finishedAt, run }: DeliveryDetail) {
  return html`<dl class="facts">
    <dt>Id</dt>
    <dd><code class="id">${deliveryId}</code></dd>
    <dt>Endpoint</dt>
    <dd class="id">${url} ${endpointState === 'enabled' ? '' : `(${endpointState})`}</dd>
    <dt>Made</dt>
    <dd>${instant(createdAt)}</dd>
    ${
      finishedAt === null
        ? ''
        : html`<dt>Over</dt>
            <dd>${instant(finishedAt)}</dd>`
    }
    <dt>Run</dt>
    <dd>${run}</dd>
  </dl>`;
}

function retry({ product, delivery, blockReason, formToken: token }: Props): HtmlSafeString | '' {
  const { status, deliveryId, endpointState } = delivery;
  if (status !== 'dead' || endpointState === 'deleted') return '';
  if (blockReason !== null) return html`<p class="muted">${blockReason}</p>`;
  const action = `${productPath(product.slug)}/deliveries/${deliveryId}/retry`;
  const note = html`<p>
    <small>The same bytes are sent at once, then on the full schedule. ${heldNote(delivery)}</small>
  </p>`;
  return form({ action, token, button: 'Retry', note });
}

function heldNote({ endpointState }: DeliveryDetail): string {
  return endpointState === 'disabled' ? 'The endpoint is disabled: enable it before.' : '';
}

function attemptTable({ attempts, mayReadPayloads }: Props) {
  return table({
    label: 'Attempts',
    empty: 'None yet.',
    rows: attempts,
    columns: [
      { heading: 'Attempt', cell: (attempt: AttemptLine) => attemptName(attempt) },
      { heading: 'Started', cell: ({ startedAt }) => instantToTheSecond(startedAt) },
      { heading: 'Took', cell: ({ durationMs }) => inMilliseconds(durationMs) },
      { heading: 'Answer', cell: ({ statusCode, error }) => answerOf(statusCode, error) },
      { heading: 'Address', cell: ({ ip }) => html`<span class="address">${ip ?? '-'}</span>` },
      {
        heading: 'Body',
        cell: ({ bodyStart }) => (mayReadPayloads ? bodyOf(bodyStart) : HIDDEN),
      },
    ],
  });
}

function attemptName({ run, step, wasInterrupted }: AttemptLine) {
  const name = step === 0 ? 'first' : `retry ${step} of ${LAST_STEP}`;
  return html`${run === 1 ? '' : `run ${run}, `}${name}
  ${
    wasInterrupted
      ? html`<br /><small>repeated: the one before was interrupted and may have arrived</small>`
      : ''
  }`;
}

function bodyOf(bodyStart: string | null) {
  if (!bodyStart) return html`<span class="muted">empty</span>`;
  return html`<details>
    <summary>its start</summary>
    <code class="bytes">${bodyStart}</code>
  </details>`;
}

function schedule(delivery: DeliveryDetail): HtmlSafeString {
  const ahead = stepsAhead(delivery);
  if (ahead.length === 0) return html`<p>${NOTHING_AHEAD[delivery.status] ?? ''}</p>`;
  return html`<ol class="schedule">
      ${ahead.map((step, index) => html`<li>${aheadOf(step, index)}</li>`)}
    </ol>
    <p>
      <small class="muted">
        A success ends it. Each wait counts from the end of the attempt before; after the last the
        delivery is dead.
      </small>
    </p>`;
}

const NOTHING_AHEAD: Partial<Record<DeliveryDetail['status'], string>> = {
  succeeded: 'Nothing: it has arrived.',
  dead: 'Nothing: all attempts have failed. It is sent again only when somebody retries or recovers it.',
  held: 'Nothing: its endpoint was disabled. Enable the endpoint, then recover.',
  cancelled: 'Nothing: its endpoint was deleted.',
};

function aheadOf({ step, at }: StepAhead, index: number) {
  const name = step === 0 ? 'attempt' : `retry ${step} of ${LAST_STEP}`;
  return html`${name}, ${index === 0 ? 'due' : 'not before'} ${instantToTheSecond(at)}`;
}

const HIDDEN = html`<span class="muted">hidden from your role</span>`;
const MASKED = 't=...,v1=***';

function sent({ delivery, mayReadPayloads }: Props): HtmlSafeString {
  const { eventName, isSignedTwice, body } = delivery;
  const previous = isSignedTwice ? MASKED : null;
  const headers = envelopeHeaders(eventName, { current: MASKED, previous });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<p>
      The same bytes on every attempt, ${body.length.toLocaleString('en')} of them; the signature is
      made anew each time.
    </p>
    <pre><code class="bytes" data-headers>${lines.join('\n')}</code></pre>
    ${
      mayReadPayloads
        ? html`<pre><code class="bytes" data-payload>${body.toString('utf8')}</code></pre>`
        : html`<p>${HIDDEN}</p>`
    }`;
}

function instantToTheSecond(at: Date): HtmlSafeString {
  const exact = at.toISOString();
  return html`<time datetime="${exact}">${exact.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
