// The dates of a page, each with its exact text for machines.
import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  toDay,
  writeDay,
  writeShortDay,
} from '../../domain/shared/instant.ts';

const LENGTHS = { minute: 'HH:MM'.length, second: 'HH:MM:SS'.length };

/** An instant in UTC: `27 Nov 2026, 10:52 UTC`. */
export function instant(at: Date, to: keyof typeof LENGTHS = 'minute'): HtmlSafeString {
  return time(at, `${writeDay(at)}, ${timeOfDay(at, to)} UTC`);
}

/** The day of an instant in UTC: `27 Nov 2026`. */
export function day(at: Date): HtmlSafeString {
  return time(at, writeDay(at));
}

/**
 * An instant where a heading says UTC: `27 Nov, 10:53`; of today the time alone. A page without a
 * time of its own takes the clock of the process.
 */
export function shortInstant(
  at: Date,
  now = new Date(),
  to: keyof typeof LENGTHS = 'minute',
): HtmlSafeString {
  const written = timeOfDay(at, to);
  if (toDay(at) === toDay(now)) return time(at, written);
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  return time(at, `${isThisYear ? writeShortDay(toDay(at)) : writeDay(at)}, ${written}`);
}

/** A day of UTC in a table: `27 Nov`; of another year `27 Nov 2025`. */
export function shortDay(of: string | Date, now = new Date()): HtmlSafeString {
  const at = new Date(of);
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  const machine = typeof of === 'string' ? of : of.toISOString();
  return html`<time datetime="${machine}"
    >${isThisYear ? writeShortDay(toDay(at)) : writeDay(at)}</time
  >`;
}

/** What will happen, by how far it is away: `in 12 min`. */
export function ahead(at: Date, now: Date): HtmlSafeString {
  return time(at, writeAhead(at.getTime() - now.getTime()));
}

function writeAhead(ms: number): string {
  if (ms <= 0) return 'now';
  if (ms < MINUTE_MS) return 'in less than 1 min';
  if (ms < 2 * HOUR_MS) return `in ${Math.round(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `in ${Math.round(ms / HOUR_MS)} h`;
  return `in ${Math.round(ms / DAY_MS)} days`;
}

function timeOfDay(at: Date, to: keyof typeof LENGTHS): string {
  return at.toISOString().slice(11, 11 + LENGTHS[to]);
}

function time(at: Date, written: string): HtmlSafeString {
  return html`<time datetime="${at.toISOString()}">${written}</time>`;
}
