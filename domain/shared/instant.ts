export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The day in UTC: `2026-01-31`. */
export function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** The month in UTC: `2026-01`. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** The first instant of the month in UTC that is so many months later. */
export function addMonths(from: Date, months: number): Date {
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months));
}

/** Writes a day for people, in UTC: `31 Jan 2026`. */
export function writeDay(at: Date): string {
  return at.toUTCString().slice(5, 16).replace(/^0/, '');
}

/** Writes a day such as `2026-01-31` without its year: `31 Jan`. */
export function writeShortDay(day: string): string {
  return new Date(day).toUTCString().slice(5, 11).replace(/^0/, '');
}

/** Writes a month such as `2026-01`: `January 2026`, or `Jan 2026` where there is little room. */
export function writeMonth(month: string, length: 'long' | 'short' = 'long'): string {
  const start = new Date(month);
  if (length === 'short') return start.toUTCString().slice(8, 16);
  return start.toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** Writes an instant for a mail, in UTC: `31 Jan 2026, 09:30 UTC`. */
export function toMinute(at: Date): string {
  return `${writeDay(at)}, ${at.toISOString().slice(11, 16)} UTC`;
}
