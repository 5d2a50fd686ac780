/**
 * The wait until an attempt is due: by its due time, so that hours without a worker do not count
 * twice, and never longer than the database said. When the database said "too early", the remaining
 * time is the wait.
 */
export function waitForAttemptMs(
  delivery: { dueAt: string | null; remainingMs: number; isEarly: boolean },
  nowMs: number,
): number {
  if (delivery.isEarly || delivery.dueAt === null) return delivery.remainingMs;
  return Math.min(delivery.remainingMs, Date.parse(delivery.dueAt) - nowMs);
}
