import { hash } from 'node:crypto';
import { rows, type EntityManager } from '../../platform/database/database.ts';

export type Counted = { n: number; retryAfterS: number };

/** The name of a counter for a person's address or the like, which itself is not kept. */
export function throttleKey(what: string, who: string): string {
  return `${what}:${hash('sha256', who.trim().toLowerCase(), 'base64url')}`;
}

/** Counts in one statement, so that many at once cannot slip through; the period begins with the first. */
export async function countThrottled(
  em: EntityManager,
  { key, minutes }: { key: string; minutes: number },
): Promise<Counted> {
  const [row] = await rows<Counted>(
    em,
    `insert into throttle as t (key, n, ends_at)
     values (?, 1, gatehouse_now() + ? * interval '1 minute')
     on conflict (key) do update set
       n = case when t.ends_at <= gatehouse_now() then 1 else least(t.n + 1, 1000000) end,
       ends_at = case when t.ends_at <= gatehouse_now() then excluded.ends_at else t.ends_at end
     returning n, greatest(1, ceil(extract(epoch from ends_at - gatehouse_now())))::int as "retryAfterS"`,
    [key, minutes],
  );
  return row!;
}

export async function clearThrottle(em: EntityManager, key: string): Promise<void> {
  await rows(em, 'delete from throttle where key = ?', [key]);
}

/** Takes back what was counted once. */
export async function lowerThrottle(em: EntityManager, keys: string[]): Promise<void> {
  for (const key of keys) {
    await rows(em, 'update throttle set n = n - 1 where key = ? and n > 0', [key]);
  }
}

/** Removes what nobody counts any more; bounded. Says how many. */
export async function removeEndedThrottles(em: EntityManager): Promise<number> {
  const removed = await rows(
    em,
    `delete from throttle where key in (
       select key from throttle where ends_at <= gatehouse_now() limit 5000)
     and ends_at <= gatehouse_now() returning 1`,
  );
  return removed.length;
}
