import { Session } from 'node:inspector/promises';

/**
 * Loading grows the heap far beyond what stays in use, and V8 gives nothing back while a process is
 * idle. Collects once, for some tenths of a second, before the process serves.
 */
export async function releaseStartMemory(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
