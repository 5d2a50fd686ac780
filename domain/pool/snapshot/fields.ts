// Reads one line of a snapshot strictly: its fields, their form, and the one way to write them.
import { canonicalJson } from './canonical.ts';

/** A line that no snapshot has; the message says what is wrong with it. */
export class LineProblem extends Error {
  override name = 'LineProblem';
}

type Form = { pattern: RegExp; is: string };

const MONTH: Form = { pattern: /^[1-9]\d{3}-(0[1-9]|1[0-2])$/, is: 'a month like 2026-11' };
const PSEUDONYM: Form = { pattern: /^[0-9a-f]{64}$/, is: '64 hex digits' };
const AMOUNT: Form = {
  pattern: /^(0|[1-9]\d{0,14})$/,
  is: 'a whole number of minor units, from 0 to 15 digits',
};
const DAYS: Form = { pattern: /^([1-9]|[12]\d|3[01])$/, is: 'a whole number of days from 1 to 31' };
const DAYS_OR_NONE: Form = {
  pattern: /^(0|[1-9]|[12]\d|3[01])$/,
  is: 'a whole number of days from 0 to 31',
};
const TEXT: Form = { pattern: /^[ -~]{1,100}$/, is: 'a text' };

const FORMS = {
  correction_of: MONTH,
  currency: { pattern: /^[A-Z]{3}$/, is: 'a currency code' },
  format: TEXT,
  lines: { pattern: /^(0|[1-9]\d{0,14})$/, is: 'a whole number of lines' },
  member: PSEUDONYM,
  net_minor: AMOUNT,
  net_minor_after: AMOUNT,
  net_minor_before: AMOUNT,
  period: MONTH,
  pool_share_bps: {
    pattern: /^(\d|[1-9]\d{1,3}|10000)$/,
    is: 'a whole number of basis points from 0 to 10000',
  },
  product: PSEUDONYM,
  qualified_days: DAYS,
  qualified_days_after: DAYS_OR_NONE,
  qualified_days_before: DAYS_OR_NONE,
  rule: TEXT,
  sha256: PSEUDONYM,
} as const satisfies Record<string, Form>;

export type FieldName = keyof typeof FORMS;
type Read<Name extends FieldName> = Record<Name, string>;

/** The fields of a line, which has exactly these. */
export function readLine<Name extends FieldName>(line: string, names: readonly Name[]): Read<Name> {
  const value = parseObject(line);
  const read = readFields(value, names);
  if (canonicalJson(read) !== line) throw new LineProblem('the line is not in its canonical form');
  return read;
}

/** Reads the fields of an object that was parsed already. */
export function readFields<Name extends FieldName>(
  value: object,
  names: readonly Name[],
): Read<Name> {
  const entries = Object.entries(value) as [string, unknown][];
  const stray = entries.find(([name]) => !(names as readonly string[]).includes(name));
  if (stray)
    throw new LineProblem(`the field ${shorten(JSON.stringify(stray[0]))} is unknown here`);
  const given = new Map(entries);
  return Object.fromEntries(
    names.map((name) => [name, readField(name, given.get(name))]),
  ) as Read<Name>;
}

function readField(name: FieldName, value: unknown): string {
  const { pattern, is } = FORMS[name] as Form;
  if (value === undefined) throw new LineProblem(`"${name}" is missing`);
  if (typeof value === 'string' && pattern.test(value)) return value;
  const text = typeof value === 'object' ? 'no text' : shorten(JSON.stringify(value));
  throw new LineProblem(`"${name}" is ${text}, and must be ${is}, as text`);
}

export function parseObject(line: string): object {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new LineProblem('the line is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new LineProblem('the line is no JSON object');
  }
  return value;
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}...` : text);
