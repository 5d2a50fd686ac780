import type { MemberMonth, ProductDays } from '../split/pool-rule.ts';
import { daysIn } from '../split/counting-days.ts';
import {
  assertOrder,
  createCorrectionReader,
  type CorrectionReceiver,
} from './correction-reader.ts';
import { LineProblem, readLine } from './fields.ts';
import type { SnapshotHeader } from './snapshot-header.ts';

export type GroupReceiver = CorrectionReceiver & {
  /** The Member's id is only lent: a part of a text keeps the whole text in memory. */
  member(month: MemberMonth): void;
};

const HEX = /^[0-9a-f]{64}$/;

// A line of a Member has one form, so its fields have fixed places. A snapshot has millions of them;
// JSON.parse takes as long for a line as all else together.
const MEMBER = '{"member":"';
const PRODUCT = '","product":"';
const DAYS = '","qualified_days":"';
const MEMBER_AT = MEMBER.length;
const AFTER_MEMBER = MEMBER_AT + 64;
const PRODUCT_AT = AFTER_MEMBER + PRODUCT.length;
const AFTER_PRODUCT = PRODUCT_AT + 64;
const DAYS_AT = AFTER_PRODUCT + DAYS.length;

const CORRECTION = '{"correction_of":"';

/** Reads the lines between the first and the last. */
export function createGroupReader(receiver: GroupReceiver, header: SnapshotHeader) {
  const longest = daysIn(header.period);
  const known = new Map<string, string>();
  const corrections = createCorrectionReader(receiver, header);
  let member = '';
  let netMinor = 0;
  let products: ProductDays[] = [];

  function finish(): void {
    if (member === '') corrections.finish();
    else receiver.member({ member, netMinor, products });
    products = [];
  }

  function readProduct(text: string, { at, end }: { at: number; end: number }): void {
    const id = text.slice(at + PRODUCT_AT, at + AFTER_PRODUCT);
    const days = readDays(text, { at: at + DAYS_AT, end });
    const product = known.get(id) ?? learn(id);
    if (days === 0 || product === null) explain(text.slice(at, end));
    if (days > longest) throw new LineProblem(`${days} days are more than ${header.period} has`);
    if (member === '' || !text.startsWith(member, at + MEMBER_AT)) {
      throw new LineProblem('a product comes before the fee of its Member');
    }
    assertOrder(products.at(-1)?.product ?? '', product);
    products.push({ product, days });
  }

  /** A product stands in the lines of many Members: it is checked and copied once. */
  function learn(id: string): string | null {
    if (!HEX.test(id)) return null;
    const copy = copyOf(id);
    known.set(copy, copy);
    return copy;
  }

  function readFee(line: string): void {
    if (line.includes('"product"')) explain(line);
    const read = readLine(line, ['member', 'net_minor']);
    assertOrder(member, read.member);
    finish();
    ({ member } = read);
    netMinor = Number(read.net_minor);
  }

  return {
    line(text: string, place: { at: number; end: number }): void {
      const { at, end } = place;
      if (isProductLine(text, at)) readProduct(text, place);
      else if (!text.startsWith(CORRECTION, at)) readFee(text.slice(at, end));
      else if (member === '') corrections.line(text.slice(at, end));
      else throw new LineProblem('the lines are not in order');
    },
    end: finish,
  };
}

function isProductLine(text: string, at: number): boolean {
  return (
    text.startsWith(PRODUCT, at + AFTER_MEMBER) &&
    text.startsWith(DAYS, at + AFTER_PRODUCT) &&
    text.startsWith(MEMBER, at)
  );
}

/** 0 where the digits are not a number from 1 to 31 and the end of the line. */
function readDays(text: string, { at, end }: { at: number; end: number }): number {
  if (!text.startsWith('"}', end - 2)) return 0;
  const digits = end - 2 - at;
  const first = digitAt(text, at);
  if (digits === 1 || first < 1) return digits === 1 ? Math.max(first, 0) : 0;
  const second = digitAt(text, at + 1);
  const days = first * 10 + second;
  return digits === 2 && second >= 0 && days <= 31 ? days : 0;
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function copyOf(part: string): string {
  return JSON.parse(JSON.stringify(part)) as string;
}

/** Finds the words for a line of a product that is wrong. */
function explain(line: string): never {
  readLine(line, ['member', 'product', 'qualified_days']);
  throw new LineProblem('the line is not in its canonical form');
}
