import { Session } from 'node:inspector/promises';

/**
 * Loading grows the heap far beyond what stays in use, and V8 gives nothing back while a process is
 * idle. Collects once, for some tenths of a second, before the process serves.
 */
export const releaseStartMemory = releaseMemory;

/**
 * Hands on the parts of long work and collects after each so many units of them: by itself V8 lets
 * the heap of a process that holds 30 MiB grow to 200 first.
 */
export async function* releaseAfterEach<Part extends { length: number }>(
  units: number,
  parts: AsyncIterable<Part>,
): AsyncGenerator<Part> {
  let done = 0;
  for await (const part of parts) {
    yield part;
    done += part.length;
    if (done < units) continue;
    await releaseMemory();
    done = 0;
  }
}

async function releaseMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
