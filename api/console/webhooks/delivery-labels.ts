// A delivery in words, wherever it is shown.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { DELIVERY_STATUSES } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import { sentenceCase } from '../../html/status-labels.ts';

type Status = (typeof DELIVERY_STATUSES)[number];

const OUTCOMES: Record<Status, 'good' | 'open' | 'bad'> = {
  pending: 'open',
  retrying: 'open',
  succeeded: 'good',
  dead: 'bad',
  held: 'bad',
  cancelled: 'bad',
};

const ERRORS: Record<string, string> = {
  dns: 'name not found',
  refused: 'connection refused',
  reset: 'connection lost, or the response was not valid HTTP',
  tls: 'certificate or TLS refused',
  timeout: 'no response within 10 seconds',
  policy: 'not a public address',
  http_status: 'not a 2xx status',
  signing: 'could not be signed',
};

export function statusMark(status: Status): HtmlSafeString {
  return html`<span class="outcome" data-outcome="${OUTCOMES[status]}" data-status="${status}"
    >${sentenceCase(status)}</span
  >`;
}

/** Nothing happened: a person tried the receiver. */
export function exampleMark({ isExample }: { isExample: boolean }): HtmlSafeString | '' {
  return isExample ? html`<small class="state" data-example>Example</small>` : '';
}

/** The status code and the reason of the failure. */
export function answerOf(statusCode: number | null, error: string | null): string {
  if (error === 'http_status') return String(statusCode);
  if (error === 'timeout' && statusCode !== null) {
    return `${statusCode}, the response did not end within 10 seconds`;
  }
  const what = error === null ? null : (ERRORS[error] ?? error);
  return sentenceCase([statusCode, what].filter((part) => part !== null).join(', '));
}

export function inMilliseconds(durationMs: number | null): string {
  return durationMs === null ? '' : `${durationMs.toLocaleString('en')}\u00a0ms`;
}
