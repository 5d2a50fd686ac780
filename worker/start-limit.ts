/** A tenth of a second: the batch that builds up while nothing starts. */
const BATCHES_PER_S = 10;

/** A token bucket: so many starts a second, in small batches instead of one rush. */
export function createStartLimit(startsPerS: number, now = () => performance.now()) {
  const most = Math.max(1, startsPerS / BATCHES_PER_S);
  let tokens = most;
  let at = now();

  function refill(): number {
    const elapsedMs = now() - at;
    at += elapsedMs;
    tokens = Math.min(most, tokens + (elapsedMs * startsPerS) / 1_000);
    return tokens;
  }

  return {
    /** How many workflows may start now. */
    free: () => Math.max(0, Math.floor(refill())),
    /** Counts starts. */
    count(starts: number) {
      tokens = refill() - starts;
    },
    /** The milliseconds until a batch may start again. */
    waitMs: () => Math.ceil(((most - refill()) * 1_000) / startsPerS),
  };
}
