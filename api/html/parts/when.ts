import { html, type HtmlSafeString } from '@prairielearn/html';
import { DAY_MS, HOUR_MS, MINUTE_MS, toDay } from '../../../domain/shared/instant.ts';

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const LENGTHS = { minute: 'HH:MM'.length, second: 'HH:MM:SS'.length };

/**
 * An instant where a heading says UTC: `27 Nov, 10:53`; of today the time alone. A page without a
 * time of its own takes the clock of the process.
 */
export function shortInstant(
  at: Date,
  now = new Date(),
  to: keyof typeof LENGTHS = 'minute',
): HtmlSafeString {
  const exact = at.toISOString();
  const time = exact.slice(11, 11 + LENGTHS[to]);
  return html`<time datetime="${exact}"
    >${toDay(at) === toDay(now) ? '' : `${writeDay(at, now)}, `}${time}</time
  >`;
}

function writeDay(at: Date, now: Date): string {
  const day = DATE.format(at).replace('Sept', 'Sep');
  const year = at.getUTCFullYear();
  return year === now.getUTCFullYear() ? day : `${day} ${year}`;
}

/** A day of UTC, `2026-11-27`, in a table: `27 Nov`. */
export function shortDay(day: string): HtmlSafeString {
  return html`<time datetime="${day}">${writeShortDay(day)}</time>`;
}

/** Writes the day where no element can stand. */
export function writeShortDay(day: string): string {
  return DATE.format(new Date(`${day}T00:00:00Z`)).replace('Sept', 'Sep');
}

/** What will happen, by how far it is away: `in 12 min`. */
export function ahead(at: Date, now: Date): HtmlSafeString {
  return html`<time datetime="${at.toISOString()}"
    >${writeAhead(at.getTime() - now.getTime())}</time
  >`;
}

function writeAhead(ms: number): string {
  if (ms <= 0) return 'now';
  if (ms < MINUTE_MS) return 'in less than 1 min';
  if (ms < 2 * HOUR_MS) return `in ${Math.round(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `in ${Math.round(ms / HOUR_MS)} h`;
  return `in ${Math.round(ms / DAY_MS)} days`;
}
