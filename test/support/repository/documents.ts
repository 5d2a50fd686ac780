import { readFileSync } from 'node:fs';

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;

/** The code of a document in one language, in the order in which it stands there. */
export function readBlocks(path: string, language: string): string[] {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  return [...text.matchAll(BLOCK)].filter(([, of]) => of === language).map(([, , code]) => code!);
}
