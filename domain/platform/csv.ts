// Tables as RFC 4180 has them, for programs and for spreadsheets.

/** A text from outside, or what we have counted ourselves. */
type Cell = string | number | { exact: string } | null;

/** With its header line, ended as every other. */
export function writeCsvLine(cells: readonly Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return quote(typeof cell === 'string' ? disarm(cell) : cell.exact);
}

/** A spreadsheet would run a text that begins so: the apostrophe makes it a text again. */
function disarm(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
