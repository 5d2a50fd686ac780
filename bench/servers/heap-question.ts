export const HEAP_ASKED = 'heap';
