import type { Stack } from './stack.ts';

/** The short table at the end of a start: where everything is, and who may sign in. */
export function describeStack({ addresses, people }: Stack): string {
  const places = [
    ['Store', addresses.baseUrl],
    ['Console', `${addresses.baseUrl}/console`],
    ['Docs', `${addresses.baseUrl}/docs`],
    ['Temporal UI', addresses.temporalUiUrl],
    ['Mailbox', addresses.mailboxUrl],
  ];
  const accounts = people.map(({ email, password, roles }) => [
    email,
    password,
    roles.join(', ') || '-',
  ]);
  return [
    '',
    ...alignColumns(places),
    '',
    ...alignColumns([['Demo account', 'Password', 'Roles'], ...accounts]),
    '',
  ].join('\n');
}

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
