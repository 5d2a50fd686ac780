import type { IncomingHttpHeaders } from 'node:http';
import { DAY_MS, MINUTE_MS } from '../../domain/shared/instant.ts';

/** What a forge allows this address until its next window. */
export type RateLimit = { remaining: number; resetsAt: Date };

/** Returns null where the headers name no limit. GitLab leaves the `x-` out. */
export function readRateLimit(headers: IncomingHttpHeaders, now: Date): RateLimit | null {
  const remaining = readCount(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']);
  const reset = readCount(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  if (remaining === null || reset === null) return null;
  return { remaining, resetsAt: bound(reset * 1_000, now) };
}

type Refused = { headers: IncomingHttpHeaders; now: Date; attempt: number };

/**
 * Returns the instant to ask a refusing forge again: at least a minute later, and longer with
 * each attempt where it names no time.
 */
export function readWait({ headers, now, attempt }: Refused): Date {
  const retryAfter = headers['retry-after'];
  const seconds = readCount(retryAfter);
  if (seconds !== null) return later(now.getTime() + seconds * 1_000, now);
  const date = Date.parse(retryAfter ?? '');
  if (!Number.isNaN(date)) return later(date, now);
  const limit = readRateLimit(headers, now);
  if (limit?.remaining === 0) return later(limit.resetsAt.getTime(), now);
  return later(now.getTime() + MINUTE_MS * 2 ** Math.min(attempt, 6), now);
}

const later = (at: number, now: Date) => bound(Math.max(at, now.getTime() + MINUTE_MS), now);

/** The clock of a forge may be wrong: no wait is longer than a day. */
const bound = (at: number, now: Date) => new Date(Math.min(at, now.getTime() + DAY_MS));

function readCount(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,12}$/.test(header.trim()) ? Number(header) : null;
}
