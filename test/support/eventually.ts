const SHORTEST_MS = 25;
const LONGEST_MS = 250;

/**
 * Waits for a condition; fails with what was last seen when it does not come true. What takes long
 * is asked after more and more seldom: each question costs others their time.
 */
export async function eventually<Value>(
  read: () => Promise<Value> | Value,
  isDone: (value: Value) => boolean,
  timeoutMs = 60_000,
): Promise<Value> {
  const began = Date.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    const waited = Date.now() - began;
    if (waited > timeoutMs) throw new Error(`still ${JSON.stringify(value)}`);
    const pauseMs = Math.min(Math.max(waited / 4, SHORTEST_MS), LONGEST_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
