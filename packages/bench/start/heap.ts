// Imported before the main file of a process: tells what its heaps hold after a collection, in MiB.
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';
import { HEAP_ASKED } from './heap-question.ts';

const MIB = 2 ** 20;

type Message = { params: { sessionId: string; message: string } };
type Heap = { usedSize: number };

// Threads import it too, and have nobody to answer.
if (isMainThread) {
  process.on('message', (message) => {
    if (message !== HEAP_ASKED) return;
    void measureHeaps().then((bytes) => process.send?.({ answer: bytes / MIB }));
  });
}

/** Measures the heap of the main thread and of each other one. */
async function measureHeaps(): Promise<number> {
  const session = new Session();
  session.connect();
  const threads: string[] = [];
  session.on('NodeWorker.attachedToWorker', ({ params }: { params: { sessionId: string } }) => {
    threads.push(params.sessionId);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const heaps = [await measureHeap((method) => session.post(method as never))];
  for (const sessionId of threads) {
    heaps.push(await measureHeap((method) => askThread(session, { sessionId, method })));
  }
  session.disconnect();
  return heaps.reduce((sum, { usedSize }) => sum + usedSize, 0);
}

async function measureHeap(post: (method: string) => Promise<unknown>): Promise<Heap> {
  await post('HeapProfiler.collectGarbage');
  return (await post('Runtime.getHeapUsage')) as Heap;
}

/** One question at a time. */
async function askThread(
  session: Session,
  { sessionId, method }: { sessionId: string; method: string },
): Promise<unknown> {
  const answered = new Promise<unknown>((resolve) => {
    const hear = ({ params }: Message) => {
      const { id, result } = JSON.parse(params.message) as { id?: number; result: unknown };
      if (params.sessionId !== sessionId || id !== 1) return;
      session.off('NodeWorker.receivedMessageFromWorker', hear as never);
      resolve(result);
    };
    session.on('NodeWorker.receivedMessageFromWorker', hear as never);
  });
  const message = JSON.stringify({ id: 1, method });
  await session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  return answered;
}
