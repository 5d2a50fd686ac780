/** In words of a mail, in UTC: `2026-01-31 09:30 UTC`. */
export function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
