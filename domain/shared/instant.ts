export const DAY_MS = 86_400_000;

/** The day in UTC: `2026-01-31`. */
export function toDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** In words of a mail, in UTC: `2026-01-31 09:30 UTC`. */
export function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
