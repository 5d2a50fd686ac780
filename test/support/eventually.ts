/** Waits for a condition; fails with what was last seen when it does not come true. */
export async function eventually<Value>(
  read: () => Promise<Value> | Value,
  isDone: (value: Value) => boolean,
  timeoutMs = 60_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
