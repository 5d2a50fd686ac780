// What a server does for a request, called without the request.
import { answerQuestions } from './child-server.ts';

export type Calls = { callers: number; durationMs: number; keys: string[] };

type Call = (key: string) => Promise<object | null>;

/** Makes as many calls at a time as there are callers, with each key in turn; answers with calls/s. */
export function answerCalls(call: Call): void {
  answerQuestions(async ({ callers, durationMs, keys }: Calls) => {
    const startedAt = performance.now();
    let count = 0;
    const work = async () => {
      while (performance.now() - startedAt < durationMs) {
        count += 1;
        if (!(await call(keys[count % keys.length]!))) throw new Error('refused');
      }
    };
    await Promise.all(Array.from({ length: callers }, work));
    return (count * 1_000) / (performance.now() - startedAt);
  });
}
