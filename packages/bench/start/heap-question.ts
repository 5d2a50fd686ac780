const HEAP = new URL('heap.ts', import.meta.url);

/** What a process is started with that is to be asked. */
export const CANDID = [`--import=${HEAP.href}`];

export const HEAP_ASKED = 'heap';
