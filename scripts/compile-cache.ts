import { join } from 'node:path';

/** Environment of our processes: they start in half the time, and without the compiler's memory. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'dist', 'compile-cache'),
};
