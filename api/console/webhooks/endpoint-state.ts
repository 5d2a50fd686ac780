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

export function endpointMark({ disabledAt, failingSince }: EndpointEntry): HtmlSafeString {
  if (disabledAt !== null) return pill({ word: 'Disabled', tone: 'neutral' });
  return failingSince === null
    ? pill({ word: 'Enabled', tone: 'ok', isLive: true })
    : pill({ word: 'Failing', tone: 'bad', isLive: true });
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
  const way = html`Fix your server, then <a href="${recoverPath}">recover what it missed</a>.`;
  if (failingSince !== null) {
    const since = html`Since ${instant(failingSince)}${counts === '' ? '' : `: ${counts}`}.`;
    return note({ tone: 'bad', sentence: `${subject} is failing.`, more: html`${since} ${way}` });
  }
  const missed = countTrouble({ ...endpoint, retrying: 0 });
  if (missed === '') return '';
  const sentence = `${subject} missed deliveries: ${missed}.`;
  return note({ tone: 'warn', sentence, more: way });
}

type Counts = Pick<EndpointEntry, 'retrying' | 'dead' | 'held'>;

function countTrouble({ retrying, dead, held }: Counts): string {
  return Object.entries({ retrying, dead, held })
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${writeCapped(count, MOST_COUNTED)} ${word}`)
    .join(', ');
}
