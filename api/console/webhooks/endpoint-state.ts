// How an endpoint is doing, on its own page and among the others.
import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  MOST_COUNTED,
  type EndpointEntry,
} from '../../../domain/webhooks/endpoints/endpoint-list.repository.ts';
import { note } from '../../html/parts/note.ts';
import { instant } from '../../html/dates.ts';
import { pill } from '../../html/parts/pill.ts';
import { writeCapped } from '../../html/status-labels.ts';

export function endpointMark(endpoint: EndpointEntry): HtmlSafeString {
  if (endpoint.disabledAt !== null) return pill({ word: 'Disabled', tone: 'neutral' });
  return isFailing(endpoint)
    ? pill({ word: 'Failing', tone: 'bad', isLive: true })
    : pill({ word: 'Enabled', tone: 'ok', isLive: true });
}

/** It answers with failures, or there is something that it missed. */
export function isFailing(endpoint: EndpointEntry): boolean {
  const { failingSince, retrying, dead, held } = endpoint;
  return failingSince !== null || retrying + dead + held > 0;
}

type Trouble = { endpoint: EndpointEntry; name?: string; recoverPath: string };

/** What fails at an endpoint and the way out; nothing where all is well. */
export function endpointTrouble({ endpoint, name, recoverPath }: Trouble): HtmlSafeString | '' {
  const { disabledAt, failingSince } = endpoint;
  const subject = name ?? 'This endpoint';
  const counts = countTrouble(endpoint);
  if (disabledAt !== null) {
    return note({
      tone: 'warn',
      sentence: `${subject} is disabled.`,
      more: html`Since ${instant(disabledAt)} we keep new events and send
      none${counts === '' ? '' : `: ${counts}`}. Enable it once your server works.`,
    });
  }
  if (!isFailing(endpoint)) return '';
  const since = failingSince === null ? '' : html`Since ${instant(failingSince)}. `;
  return note({
    tone: 'bad',
    sentence: `${subject} is failing${counts === '' ? '' : `: ${counts}`}.`,
    more: html`${since}Fix your server, then <a href="${recoverPath}">recover what it missed</a>.`,
  });
}

type Counts = Pick<EndpointEntry, 'retrying' | 'dead' | 'held'>;

function countTrouble({ retrying, dead, held }: Counts): string {
  return writeFailing(Object.entries({ dead, retrying, held }));
}

/** What is failing by the words of its states: `16 deliveries dead, 1 retrying`. */
export function writeFailing(counts: readonly (readonly [word: string, count: number])[]): string {
  return counts
    .filter(([, count]) => count > 0)
    .map(([word, count], at) => {
      const noun = count === 1 ? 'delivery ' : 'deliveries ';
      return `${writeCapped(count, MOST_COUNTED)} ${at === 0 ? noun : ''}${word}`;
    })
    .join(', ');
}
