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
