// Pages that wait for a payment look again by themselves: ever more slowly, and not for good.
import type { Context } from 'koa';
import { matching } from './fields.ts';

const WAITS_S = [2, 3, 5, 8, 13, 21, 34];
const LONGEST_WAIT_S = 60;
const LAST_LOOK_S = 15 * 60;

/**
 * The second at which the page began to wait. It stays in the address, so a reload goes on from
 * there.
 */
export const waitingSinceField = matching(/^\d{1,10}$/, 10)
  .transform(Number)
  .optional()
  .catch(undefined);

/** The header of a page that waits; empty once it has waited long enough. */
export function refreshWhileWaiting(
  ctx: Context,
  since: number | undefined,
): Record<string, string> {
  const now = Math.floor(Date.now() / 1_000);
  if (since === undefined) {
    const query = new URLSearchParams(ctx.querystring);
    query.set('since', String(now));
    return { refresh: `${WAITS_S[0]}; url=${ctx.path}?${query.toString()}` };
  }
  const waitS = nextRefreshS(now - since);
  return waitS === null ? {} : { refresh: String(waitS) };
}

/** Seconds until the next look of a page that has waited so long; null when it stops. */
export function nextRefreshS(waitedS: number): number | null {
  if (waitedS < 0 || waitedS >= LAST_LOOK_S) return null;
  let endS = 0;
  for (const waitS of WAITS_S) {
    endS += waitS;
    if (waitedS < endS) return waitS;
  }
  return LONGEST_WAIT_S;
}
