import { readFileSync } from 'node:fs';
import test from 'ava';
import { ROLE_WORDS } from '../../../api/console/console-frame.ts';
import { PERMISSIONS, PRODUCT_ROLES } from '../../../domain/teams/permissions.ts';

const page = readFileSync(new URL('../../../docs/teams.md', import.meta.url), 'utf8');

/** A line of the table, without the spaces that its columns are padded with. */
const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

test('docs/teams.md shows the table that the platform decides by', (t) => {
  const [, table = ''] = /\n(\| permission [^]*?)\n\n/.exec(page) ?? [];
  const [head, , ...lines] = table.trim().split('\n').map(cellsOf);
  t.deepEqual(head, ['permission', ...PRODUCT_ROLES.map((role) => ROLE_WORDS[role])]);
  t.deepEqual(
    lines,
    Object.values(PERMISSIONS).map(({ what, roles }) => [
      what,
      ...PRODUCT_ROLES.map((role) => (roles.some((each) => each === role) ? 'x' : '')),
    ]),
  );
});
