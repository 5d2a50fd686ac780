// Imported before the main file of a process that has been started with --expose-gc.
import { HEAP_ASKED } from './heap-question.ts';

const MIB = 2 ** 20;

process.on('message', (message) => {
  if (message !== HEAP_ASKED) return;
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed / MIB);
});
