// A delivery in words, wherever it is shown.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { DELIVERY_STATUSES } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import { pill } from '../../html/parts/pill.ts';
import { sentenceCase } from '../../html/sentence-case.ts';
import { writeCount } from '../../html/numbers.ts';

type Status = (typeof DELIVERY_STATUSES)[number];

type Tone = Parameters<typeof pill>[0]['tone'];

/** How a receiver would say it, and how much it matters. */
const STATES: Record<Status, { word: string; tone: Tone }> = {
  pending: { word: 'Pending', tone: 'info' },
  retrying: { word: 'Retrying', tone: 'warn' },
  succeeded: { word: 'Accepted', tone: 'ok' },
  dead: { word: 'Dead', tone: 'bad' },
  held: { word: 'Held', tone: 'warn' },
  cancelled: { word: 'Cancelled', tone: 'neutral' },
};

export function statusWord(status: Status): string {
  return STATES[status].word;
}

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

export function deliveryPill(status: Status): HtmlSafeString {
  return pill({ ...STATES[status], isLive: true });
}

/** Nothing happened: a person tried the receiver. */
export function examplePill({ isExample }: { isExample: boolean }): HtmlSafeString | '' {
  return isExample
    ? html`<span data-example>${pill({ word: 'Example', tone: 'neutral' })}</span>`
    : '';
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
  return durationMs === null ? '' : `${writeCount(durationMs)}\u00a0ms`;
}

/** The host of an endpoint and its path, without what all of them begin with. */
export function shownAddress(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
