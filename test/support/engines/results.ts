import { stripVTControlCharacters } from 'node:util';

export type Results = { passed: number; failed: number };

const PASSED = /^(\d+) tests? passed$/;
const FAILED =
  /^(\d+) (tests? failed|hooks? failed|uncaught exceptions?|unhandled rejections?|tests? remained pending)/;
const PASSED_TEST = /^\s*✔ /;

/** Reads AVA's report. A run that crashed, or that ran no test at all, has failed. */
export function readResults(lines: string[], hasEndedWell: boolean): Results {
  const plain = lines.map((line) => stripVTControlCharacters(line));
  const numbers = (pattern: RegExp) =>
    plain.flatMap((line) => pattern.exec(line.trim())?.[1] ?? []).map(Number);
  // AVA counts the passed tests only when none failed.
  const passed = numbers(PASSED).at(-1) ?? plain.filter((line) => PASSED_TEST.test(line)).length;
  const failed = numbers(FAILED).reduce((sum, count) => sum + count, 0);
  const isHttpError = !hasEndedWell || passed === 0;
  return { passed, failed: isHttpError ? Math.max(failed, 1) : failed };
}

const TITLED_TEST = /^\s*[✔✘] (?:\[fail\]: )?(.+) › (?:.*?)(?: \((?:(\d+)m )?([\d.]+)(ms|s)\))?$/u;

export type FileTime = { file: string; seconds: number; endedAt: number };

/**
 * Returns the files whose tests took longest, by when AVA wrote their lines; the time before the
 * first test is not in it. A run of one file names none.
 */
export function findSlowestFiles(lines: string[], seconds: number[], most = 10): FileTime[] {
  const files = new Map<string, { begun: number; ended: number }>();
  for (const [index, line] of lines.entries()) {
    const [, file, minutes = '0', took = '0', unit] =
      TITLED_TEST.exec(stripVTControlCharacters(line)) ?? [];
    if (file === undefined) continue;
    const ended = seconds[index]!;
    const begun = ended - Number(minutes) * 60 - Number(took) / (unit === 'ms' ? 1_000 : 1);
    const known = files.get(file);
    files.set(file, { begun: Math.min(begun, known?.begun ?? begun), ended });
  }
  return [...files]
    .map(([file, { begun, ended }]) => ({ file, seconds: ended - begun, endedAt: ended }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, most);
}
