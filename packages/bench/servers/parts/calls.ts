// What a server does for a request, called without the request.

export type Calls = { callers: number; durationMs: number; keys: string[] };

export type Called = { perS: number };

type Call = (key: string) => Promise<object | null>;

export function answerCalls(call: Call): void {
  process.on('message', async (asked: Partial<Calls>) => {
    const { callers, durationMs, keys } = asked;
    if (!callers || !durationMs || !keys) return; // the order, which every server hears first
    process.send?.(await makeCalls(call, { callers, durationMs, keys }));
  });
}

/** Makes as many calls at a time as there are callers, with each key in turn. */
async function makeCalls(call: Call, { callers, durationMs, keys }: Calls): Promise<Called> {
  const startedAt = performance.now();
  let count = 0;
  const work = async () => {
    while (performance.now() - startedAt < durationMs) {
      count += 1;
      if (!(await call(keys[count % keys.length]!))) throw new Error('refused');
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
  return { perS: (count * 1_000) / (performance.now() - startedAt) };
}
