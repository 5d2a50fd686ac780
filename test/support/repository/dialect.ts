import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type SourceFile } from './imports.ts';

// Words of a dialect that no stranger from this trade would choose.
const BANNED =
  `door, admit, asker, wish, bell, lookout, standing, obstacle, deed, desk, newcomer, crowd, fading,
  settler, heard, unclear, own form, known path, revalidated, speculative, selling,
  pace, waker, closer, patience, patient, patiently, impatient`.split(/,\s*/);

// There, messages have a priority and wait in one queue; an attempt may be inline; what is refused is dead-lettered.
const SENDERS = /^(worker|domain\/outbox|domain\/webhooks\/deliveries)\//;
const BANNED_AMONG_SENDERS =
  `relay, relays, lane, lanes, share, shares, gentle, rests, parked, trouble, first tries,
  first try`.split(/,\s*/);

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const STRING = /'(?:[^'\\\n]|\\.)*'/g;
// Not within a path or a text of a page.
const DECLARED =
  /(?:\b(?:const|let|function|class|type|enum)\s+|[({,.]\s*|^\s*)([A-Za-z_$][\w$]*)(?=\s*[:=(,}<)?])/gm;

/** The paths and identifiers that have a banned word in them. */
export function findDialect(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    const code = readFileSync(join(ROOT, path), 'utf8').replace(COMMENT, '').replace(STRING, "''");
    const names = [...code.matchAll(DECLARED)].map(([, name]) => name!);
    const banned = SENDERS.test(path) ? [...BANNED, ...BANNED_AMONG_SENDERS] : BANNED;
    return [...new Set([path, ...names])].flatMap((name) => {
      const words = ` ${toWords(name)} `;
      return banned
        .filter((word) => words.includes(` ${word} `))
        .map((word) => `${path}: ${name} (${word})`);
    });
  });
}

const toWords = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ');
