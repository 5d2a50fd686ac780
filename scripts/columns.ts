/** Lines of text in columns, as wide as their widest cell. */
export function alignColumns(rows: string[][]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  return rows.map((row) => {
    const cells = row.map((cell, index) => cell.padEnd(widths[index] ?? 0));
    return `  ${cells.join('  ')}`.trimEnd();
  });
}
