// The attempts of a delivery, those that are ahead first and then the newest.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type {
  AttemptLine,
  DeliveryDetail,
} from '../../../domain/webhooks/deliveries/delivery.repository.ts';
import {
  LAST_STEP,
  stepsAhead,
  waitBeforeMs,
} from '../../../domain/webhooks/deliveries/retry-schedule.ts';
import { envelopeHeaders } from '../../../domain/webhooks/deliveries/sign-delivery.ts';
import { HOUR_MS, MINUTE_MS } from '../../../domain/shared/instant.ts';
import { more } from '../../html/parts/fold.ts';
import { writePlural } from '../../html/numbers.ts';
import { ahead, instant, shortInstant } from '../../html/dates.ts';
import { timeline, type Moment } from '../../html/parts/timeline.ts';
import { answerOf, inMilliseconds } from './delivery-labels.ts';

type Props = { delivery: DeliveryDetail; attempts: AttemptLine[]; mayReadPayloads: boolean };

export const HIDDEN = html`<span class="muted">Hidden from your role</span>`;

export function attemptTimeline(props: Props): HtmlSafeString {
  const { delivery } = props;
  const newestFirst = props.attempts.toReversed();
  const moments = [
    ...comingAttempt(delivery),
    ...newestFirst.map((attempt, at) =>
      pastAttempt(attempt, {
        ...props,
        sameAs: sameAnswer(newestFirst, at),
        isNewest: at === 0,
      }),
    ),
  ];
  if (moments.length === 0) return html`<p class="muted">No attempts yet.</p>`;
  return timeline(moments);
}

function comingAttempt(delivery: DeliveryDetail): Moment[] {
  const [next] = stepsAhead(delivery);
  if (next === undefined) return [];
  const { run, now } = delivery;
  return [
    {
      words: attemptName({ run, step: next.step }),
      state: 'ahead',
      at: ahead(next.at, now),
      more: html`${instant(next.at, 'second')}${thenAfter(next.step)}`,
    },
  ];
}

/** The waits that follow: `, then after 30 minutes, 2 hours and 12 hours`. */
function thenAfter(step: number): string {
  const waits = Array.from({ length: LAST_STEP - step }, (_, index) =>
    writeWait(waitBeforeMs(step + index + 1)!),
  );
  if (waits.length === 0) return '. It is the last one.';
  const last = waits.pop();
  return `, then after ${waits.length === 0 ? '' : `${waits.join(', ')} and `}${last}`;
}

function writeWait(ms: number): string {
  return ms < HOUR_MS ? writePlural(ms / MINUTE_MS, 'minute') : writePlural(ms / HOUR_MS, 'hour');
}

function attemptName({ run, step }: { run: number; step: number }): string {
  return `Attempt ${step + 1}${run === 1 ? '' : `, sent again${run === 2 ? '' : ` (${run - 1})`}`}`;
}

const SHOWN_OF_BODY = 160;

/** The newest of the attempts in a row that got the same response; null where it is this one. */
function sameAnswer(newestFirst: readonly AttemptLine[], at: number): AttemptLine | null {
  const { bodyStart } = newestFirst[at]!;
  if (!bodyStart) return null;
  let first = at;
  while (first > 0 && newestFirst[first - 1]!.bodyStart === bodyStart) first -= 1;
  return first === at ? null : newestFirst[first]!;
}

type Past = Props & { sameAs: AttemptLine | null; isNewest: boolean };

function pastAttempt(attempt: AttemptLine, { sameAs, isNewest, ...props }: Past): Moment {
  const { statusCode, error, durationMs, startedAt, bodyStart, wasInterrupted } = attempt;
  const answer = html`<strong>${answerOf(statusCode, error)}</strong> in
    ${inMilliseconds(durationMs)}`;
  const isShown = props.mayReadPayloads && error !== null && sameAs === null;
  const start = isShown ? bodyStart?.slice(0, SHOWN_OF_BODY) : '';
  return {
    words: html`${attemptName(attempt)}: ${answer}`,
    state: error === null ? 'ok' : 'bad',
    at: shortInstant(startedAt, props.delivery.now, 'second'),
    ...((start || wasInterrupted) && {
      more: html`${start ?? ''}
      ${wasInterrupted ? 'An earlier send of this attempt was interrupted and may have arrived.' : ''}`,
    }),
    detail: more('Request and response', exchange(attempt, sameAs, props), isNewest),
  };
}

function exchange(attempt: AttemptLine, sameAs: AttemptLine | null, props: Props): HtmlSafeString {
  const { ip, bodyStart } = attempt;
  return html`<dl class="exchange">
    <dt>IP address</dt>
    <dd class="address">${ip ?? 'Not connected'}</dd>
    <dt>Request headers</dt>
    <dd>${sentHeaders(attempt, props)}</dd>
    <dt>Response body</dt>
    <dd>${responseBody(bodyStart, sameAs, props)}</dd>
  </dl>`;
}

function responseBody(
  bodyStart: string | null,
  sameAs: AttemptLine | null,
  { mayReadPayloads }: Props,
): HtmlSafeString | string {
  if (!mayReadPayloads) return HIDDEN;
  if (sameAs !== null) return `The same as that of ${attemptName(sameAs).toLowerCase()}`;
  if (!bodyStart) return html`<span class="muted">Empty</span>`;
  return html`<pre tabindex="0"><code>${bodyStart}</code></pre>`;
}

/**
 * Shows the headers that were sent with this attempt; a signature is shown to those who may read
 * what it signs.
 */
function sentHeaders(
  { signature, previousSignature }: AttemptLine,
  { delivery, mayReadPayloads }: Props,
) {
  if (signature === null) return html`<span class="muted">None sent</span>`;
  const shown = (text: string) => (mayReadPayloads ? text : text.replace(/v1=.*/, 'v1=***'));
  const previous = previousSignature === null ? null : shown(previousSignature);
  const headers = envelopeHeaders(delivery.eventName, { current: shown(signature), previous });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<pre tabindex="0"><code data-headers>${lines.join('\n')}</code></pre>`;
}
