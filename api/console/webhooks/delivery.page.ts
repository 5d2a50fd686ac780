import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  AttemptLine,
  DeliveryDetail,
} from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import { envelopeHeaders } from '../../../domain/webhooks/deliveries/sign-delivery.ts';
import {
  LAST_STEP,
  stepsAhead,
  type StepAhead,
} from '../../../domain/webhooks/deliveries/retry-schedule.ts';
import type { View } from '../../http/route.ts';
import { instant, instantToTheSecond } from '../../html/layout.ts';
import { table } from '../../html/table.ts';
import { productFrame, type FramedProduct, productPath } from '../console-frame.ts';
import { endpointsPath } from './endpoints.page.ts';
import { answerOf, exampleMark, inMilliseconds, statusMark } from './delivery-labels.ts';
import { form } from '../../html/form.ts';

type Props = {
  product: FramedProduct;
  delivery: DeliveryDetail;
  attempts: AttemptLine[];
  /** Is null where there is no workflow, or no page for it. */
  workflowUrl: string | null;
  /** Whether the viewer may read the body and the response. */
  mayReadPayloads: boolean;
  /** Why this person may not retry; null where they may. */
  blockReason: string | null;
  formToken: string;
};

export function deliveryPage(props: Props): View {
  const { product, delivery, workflowUrl } = props;
  return {
    title: `Delivery of ${product.name}`,
    ...productFrame(
      product,
      '/deliveries',
      html`${delivery.eventName} ${statusMark(delivery.status)} ${exampleMark(delivery)}`,
    ),
    content: html`
      ${facts(props)}
      ${
        workflowUrl === null
          ? ''
          : html`<p><a href="${workflowUrl}" rel="noreferrer">Workflow in Temporal</a></p>`
      }
      ${delivery.isAwaited ? AWAITED : ''} ${retryForm(props)}
      <section>
        <h2>Attempts</h2>
        ${attemptTable(props)}
      </section>
      <section>
        <h2>Next retries</h2>
        ${schedule(delivery)}
      </section>
      <section>
        <h2>Request</h2>
        ${sent(props)}
      </section>
    `,
  };
}

const AWAITED = html`<p class="notice" role="status" data-awaited>
  An attempt is due. This page looks again until it is recorded, for a quarter of an hour at most.
</p>`;

function facts({ product, delivery }: Props) {
  const { deliveryId, endpointId, url, endpointState, createdAt, finishedAt, run } = delivery;
  return html`<dl class="facts">
    <dt>ID</dt>
    <dd><code class="id">${deliveryId}</code></dd>
    <dt>Endpoint</dt>
    <dd class="id">
      ${
        endpointState === 'deleted'
          ? url
          : html`<a href="${endpointsPath(product)}/${endpointId}">${url}</a>`
      }
      ${endpointState === 'enabled' ? '' : `(${endpointState})`}
    </dd>
    <dt>Created</dt>
    <dd>${instant(createdAt)}</dd>
    ${
      finishedAt === null
        ? ''
        : html`<dt>Finished</dt>
            <dd>${instant(finishedAt)}</dd>`
    }
    <dt>Attempt group</dt>
    <dd>${run}</dd>
  </dl>`;
}

function attemptTable({ delivery, attempts, mayReadPayloads }: Props) {
  return table({
    label: 'Attempts',
    empty: 'No attempts yet.',
    rows: attempts,
    columns: {
      Attempt: (attempt: AttemptLine) => attemptName(attempt),
      Started: ({ startedAt }) => instantToTheSecond(startedAt),
      Duration: ({ durationMs }) => inMilliseconds(durationMs),
      Response: ({ statusCode, error }) => answerOf(statusCode, error),
      'IP address': ({ ip }) => html`<span class="address">${ip ?? '-'}</span>`,
      'Request headers': (attempt) => sentHeaders(attempt, { ...delivery, mayReadPayloads }),
      'Response body': ({ bodyStart }) => (mayReadPayloads ? bodyCell(bodyStart) : HIDDEN),
    },
  });
}

function attemptName({ run, step, wasInterrupted }: AttemptLine) {
  const name = step === 0 ? 'First' : `Retry ${step} of ${LAST_STEP}`;
  return html`${name}${run === 1 ? '' : `, group ${run}`}
  ${
    wasInterrupted
      ? html`<br /><small
            >An earlier send of this attempt was interrupted and may have arrived.</small
          >`
      : ''
  }`;
}

type HeaderRights = Pick<Props, 'mayReadPayloads'> & Pick<DeliveryDetail, 'eventName'>;

/**
 * Shows the headers that were sent with this attempt; a signature is shown to those who may read
 * what it signs.
 */
function sentHeaders(
  { signature, previousSignature }: AttemptLine,
  { eventName, mayReadPayloads }: HeaderRights,
) {
  if (signature === null) return html`<span class="muted">None sent</span>`;
  const shown = (text: string) => (mayReadPayloads ? text : text.replace(/v1=.*/, 'v1=***'));
  const previous = previousSignature === null ? null : shown(previousSignature);
  const headers = envelopeHeaders(eventName, { current: shown(signature), previous });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<details>
    <summary>Show</summary>
    <code class="bytes" data-headers>${lines.join('\n')}</code>
  </details>`;
}

function bodyCell(bodyStart: string | null) {
  if (!bodyStart) return html`<span class="muted">Empty</span>`;
  return html`<details>
    <summary>Show</summary>
    <code class="bytes">${bodyStart}</code>
  </details>`;
}

function schedule(delivery: DeliveryDetail): HtmlSafeString {
  const ahead = stepsAhead(delivery);
  if (ahead.length === 0) return html`<p>${NOTHING_AHEAD[delivery.status] ?? ''}</p>`;
  return html`<ol class="schedule">
      ${ahead.map((step, index) => html`<li>${describeStep(step, index)}</li>`)}
    </ol>
    <p>
      <small class="muted">
        Retries stop when one succeeds. Each wait starts when the previous attempt ends. If the last
        retry fails, the delivery is dead.
      </small>
    </p>`;
}

const NOTHING_AHEAD: Partial<Record<DeliveryDetail['status'], string>> = {
  succeeded: 'Delivered.',
  dead: 'None. All attempts failed. To send the delivery again, retry or recover it.',
  held: 'None. The endpoint was disabled. Enable the endpoint, then recover the delivery.',
  cancelled: 'None. The endpoint was deleted.',
};

function describeStep({ step, at }: StepAhead, index: number) {
  const name = step === 0 ? 'Attempt' : `Retry ${step} of ${LAST_STEP}`;
  return html`${name}, ${index === 0 ? 'due' : 'not before'} ${instantToTheSecond(at)}`;
}

const HIDDEN = html`<span class="muted">Hidden from your role</span>`;

function sent({ delivery, mayReadPayloads }: Props): HtmlSafeString {
  const { body } = delivery;
  return html`<p>
      Payload (${body.length.toLocaleString('en')} bytes). Each attempt is signed again: its headers
      stand beside it.
    </p>
    ${
      mayReadPayloads
        ? html`<pre><code class="bytes" data-payload>${body.toString('utf8')}</code></pre>`
        : html`<p>${HIDDEN}</p>`
    }`;
}

/** The one button that the status allows. */
function retryForm(props: Props): HtmlSafeString | '' {
  const { product, delivery, blockReason } = props;
  const { status, run, step, endpointState } = delivery;
  const press = BUTTONS[status];
  if (press === undefined || endpointState === 'deleted') return '';
  if (blockReason !== null) return html`<p class="muted">${blockReason}</p>`;
  if (endpointState === 'disabled') return html`<p class="muted">${press.text}: ${DISABLED}</p>`;
  return form({
    action: `${productPath(product.slug)}/deliveries/${delivery.deliveryId}${press.path}`,
    token: props.formToken,
    hidden: { run: String(run), ...(status === 'retrying' && { step: String(step) }) },
    button: press.text,
    note: html`<p><small>${press.note}</small></p>`,
  });
}

const DISABLED = 'The endpoint is disabled. Enable it first.';
const AGAIN = 'We send the same payload within a minute, then retry on the full schedule.';

type Press = { text: string; path: string; note: string };

const BUTTONS: Partial<Record<DeliveryDetail['status'], Press>> = {
  dead: { text: 'Retry', path: '/retry', note: AGAIN },
  succeeded: {
    text: 'Send again',
    path: '/retry',
    note: `${AGAIN} The ID stays the same, so a receiver that knows it ignores the delivery.`,
  },
  retrying: {
    text: 'Retry now',
    path: '/retry-now',
    note: 'We make the next retry at once. If it fails, the schedule continues.',
  },
};
