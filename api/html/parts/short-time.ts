import { html, type HtmlSafeString } from '@prairielearn/html';
import { toDay } from '../../../domain/shared/instant.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day of UTC without its year: `27 Nov`. */
export function writeDay(day: string): string {
  return DAY.format(new Date(day)).replace('Sept', 'Sep');
}

/** The time of an instant of today, the day of any other, in UTC. */
export function shortTime(at: Date, now: Date): HtmlSafeString {
  const exact = at.toISOString();
  const isToday = toDay(at) === toDay(now);
  return html`<time datetime="${exact}"
    >${isToday ? exact.slice(11, 16) : writeDay(toDay(at))}</time
  >`;
}
