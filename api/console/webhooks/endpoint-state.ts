// How an endpoint is doing, on its own page and among the others.
import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  FAILING_STATUSES,
  type FailingCounts,
} from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import { MOST_COUNTED } from '../../../domain/webhooks/deliveries/failing-deliveries.repository.ts';
import type { EndpointEntry } from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { RECOVERY_DAYS } from '../../../domain/webhooks/recoveries/recovery.ts';
import { note } from '../../html/parts/note.ts';
import { instant } from '../../html/dates.ts';
import { pill } from '../../html/parts/pill.ts';
import { writeCapped, writeCappedSum } from '../../html/numbers.ts';

export function endpointPill(endpoint: EndpointEntry): HtmlSafeString {
  if (endpoint.disabledAt !== null) return pill({ word: 'Disabled', tone: 'neutral' });
  if (isFailing(endpoint)) return pill({ word: 'Failing', tone: 'bad', isLive: true });
  return hasMissed(endpoint)
    ? pill({ word: `${writeMissed(endpoint)} missed`, tone: 'warn' })
    : pill({ word: 'Enabled', tone: 'ok', isLive: true });
}

/** The latest attempt failed. */
export function isFailing({ failingSince }: Pick<EndpointEntry, 'failingSince'>): boolean {
  return failingSince !== null;
}

type Trouble = { endpoint: EndpointEntry; name?: string; recoverPath: string };

/** What fails at an endpoint and the way out; nothing where all is well. */
export function endpointTrouble(trouble: Trouble): HtmlSafeString | '' {
  const { endpoint, name: subject = 'This endpoint' } = trouble;
  const { disabledAt, failingSince } = endpoint;
  const counts = writeFailing(endpoint);
  if (disabledAt !== null) {
    return note({
      tone: 'warn',
      sentence: `${subject} is disabled.`,
      more: html`Since ${instant(disabledAt)} we keep new events and send
      none${counts === '' ? '' : `: ${counts}`}. Enable it once your server works.`,
    });
  }
  if (failingSince !== null) {
    return note({
      tone: 'bad',
      sentence: `${subject} is failing${counts === '' ? '' : `: ${counts}`}.`,
      more: html`Since ${instant(failingSince)}. ${wayOut(endpoint, trouble.recoverPath)}`,
    });
  }
  if (!hasMissed(endpoint)) return '';
  return note({
    tone: 'warn',
    sentence: `${subject} works and missed ${writeMissed(endpoint)} in the last ${RECOVERY_DAYS} days.`,
    more: html`<a href="${trouble.recoverPath}">Recover what it missed</a>.`,
  });
}

/** Leads to a recovery where something is to recover: what waits for a retry comes by itself. */
export function wayOut(counts: FailingCounts, recoverPath: string): HtmlSafeString {
  return hasMissed(counts)
    ? html`Fix your server, then <a href="${recoverPath}">recover what it missed</a>.`
    : html`Fix your server: we retry by ourselves.`;
}

/** What no retry sends any more. */
function hasMissed({ dead, held }: Missed): boolean {
  return dead + held > 0;
}

type Missed = Pick<FailingCounts, 'dead' | 'held'>;

function writeMissed({ dead, held }: Missed): string {
  const noun = dead + held === 1 ? 'delivery' : 'deliveries';
  return `${writeCappedSum([dead, held], MOST_COUNTED)} ${noun}`;
}

/** What is failing by the words of its states: `16 deliveries dead, 1 retrying`. */
export function writeFailing(counts: FailingCounts): string {
  return FAILING_STATUSES.filter((status) => counts[status] > 0)
    .map((status, at) => {
      const count = counts[status];
      const noun = count === 1 ? 'delivery ' : 'deliveries ';
      return `${writeCapped(count, MOST_COUNTED)} ${at === 0 ? noun : ''}${status}`;
    })
    .join(', ');
}
