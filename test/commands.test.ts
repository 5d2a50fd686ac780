// The rules of commands (docs/architecture.md), and the files that still break them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readSourceFiles, ROOT, type SourceFile } from './support/repository/imports.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const isCommand = (path: string) => path.endsWith('.command.ts');

const code = readSourceFiles().filter(({ path }) =>
  /^(api|activities|domain|worker|scripts)\//.test(path),
);
const outsideCommands = code.filter(({ path }) => !isCommand(path));
const inApi = code.filter(({ path }) => path.startsWith('api/'));
const holding = (pattern: RegExp, among: SourceFile[]) =>
  among.filter(({ path }) => pattern.test(read(path))).map(({ path }) => path);
const isRepository = ({ path }: SourceFile) => path.endsWith('.repository.ts');

/** What breaks the rules of commands, file by file. */
const COMMAND_RULES: Record<string, () => string[]> = {
  'the audit is recorded in commands alone': () =>
    holding(/\bawait recordAudit\(/, outsideCommands),
  'the API opens no transaction: it calls a command': () => holding(/\.transaction\(/, inApi),
  'locks that wait are taken in commands alone': () =>
    holding(
      /\bawait (lock|hold)[A-Z]\w*\(/,
      outsideCommands.filter((file) => !isRepository(file)),
    ),
  'every repository holds a statement': () =>
    code
      .filter(isRepository)
      .map(({ path }) => path)
      .filter((path) => !/kysely\(|\bem\.|\brows\(|\.query\(|\.select\(|sql`/.test(read(path))),
};

// The files that break a rule today: the list may only shrink.
const BREACHES = JSON.parse(read('test/support/repository/breaches.json')) as Record<
  string,
  string[]
>;

for (const [rule, find] of Object.entries(COMMAND_RULES)) {
  test(`${rule}, except in the files that still break it`, (t) => {
    t.deepEqual(find(), BREACHES[rule] ?? []);
  });
}

// These subjects, and the pages that call them, break none of the rules.
const DONE =
  /\/(catalog|credentials|oauth\/clients|webhooks|identity|notifications|authentication)\/|^api\/account\/(?!purchases|subscriptions)|^api\/operator\/people\//;

test('no finished subject breaks a rule of commands', (t) => {
  const breaches = Object.values(BREACHES).flat();
  t.deepEqual(
    breaches.filter((path) => DONE.test(path)),
    [],
  );
});
