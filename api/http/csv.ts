// Tables as RFC 4180 has them, for programs and for spreadsheets.
import { z } from 'zod';

/** The query of every export; another value counts as absent. */
export const csvQuery = z.object({ for: z.literal('spreadsheet').optional().catch(undefined) });

/** Spreadsheets read a file as UTF-8 by this mark alone. */
const BYTE_ORDER_MARK = '\uFEFF';

export type CsvQuery = z.output<typeof csvQuery>;

export async function* encodeFor(query: CsvQuery, lines: AsyncIterable<string>) {
  if (query.for === 'spreadsheet') yield BYTE_ORDER_MARK;
  yield* lines;
}

/** A text from outside, or a number of ours. */
export type Cell = string | number | { exact: string } | null;

type Batches<Item> = Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>;

/** The cells of an item by the names of their columns, in this order. */
export type Columns<Item> = Record<string, (item: Item) => Cell>;

/** The head first, then a line for each item: text by text, as their batches come. */
export async function* writeCsv<Item>(batches: Batches<Item>, columns: Columns<Item>) {
  const cells = Object.values(columns);
  yield writeCsvLine(Object.keys(columns));
  for await (const batch of batches) {
    const lines = batch.map((item) => writeCsvLine(cells.map((cell) => cell(item))));
    if (lines.length > 0) yield lines.join('');
  }
}

/** The head is ended as every other line. */
export function writeCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return quote(typeof cell === 'string' ? disarm(cell) : cell.exact);
}

/**
 * Prefixes an apostrophe to text that a spreadsheet would run as a formula, also after a semicolon
 * or tab.
 */
function disarm(text: string): string {
  const safe = text.replaceAll(/([;\t]\s*)([=+\-@＝＋－＠])/g, "$1'$2");
  return /^[=+\-@\t\r\n＝＋－＠]/.test(safe) ? `'${safe}` : safe;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
