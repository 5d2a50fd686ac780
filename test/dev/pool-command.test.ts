import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { execa } from 'execa';
import { computeStatement } from '../../domain/pool/statement/compute-statement.ts';
import { writeStatement } from '../../domain/pool/statement/statement-file.ts';
import { readHostEnvironment } from '../../platform/config.ts';
import { createSha256, sha256Hex } from '../../domain/shared/sha256.ts';
import { compareRules, simulateExample } from '../../scripts/pool/simulate.ts';
import { readCommand } from '../../scripts/pool/command-line.ts';
import { UsageError } from '../../scripts/command.ts';
import { makeFolder } from '../support/engines/folder.ts';
import { HASHING, writeSnapshot } from '../support/pool/snapshots.ts';
import { ROOT } from '../support/repository/imports.ts';

const SNAPSHOT = writeSnapshot({
  members: [20, 6, 1].map((days, index) => ({
    member: sha256Hex(`member ${index}`),
    netMinor: 999,
    products: [
      { product: sha256Hex('a'), days },
      { product: sha256Hex('b'), days: 1 },
    ],
  })),
});

/** `npm run pool -- ...` as a process of its own. */
function pool(...args: string[]) {
  return execa(process.execPath, [join(ROOT, 'scripts/pool/main.ts'), ...args], {
    env: readHostEnvironment(),
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  });
}

test('compute prints the bytes of the platform, from a plain and from a compressed snapshot', async (t) => {
  const folder = makeFolder(t);
  const [plain, compressed] = [join(folder, 'snapshot.json'), join(folder, 'snapshot.json.gz')];
  writeFileSync(plain, SNAPSHOT);
  writeFileSync(compressed, gzipSync(SNAPSHOT));
  const statement = await computeStatement([SNAPSHOT], HASHING);
  const { text, sha256 } = writeStatement(statement, createSha256);
  const lines = text.split(/(?<=\n)/);
  t.is(hash('sha256', lines.slice(0, -1).join('')), sha256, 'as `head -n -1 | sha256sum`');
  for (const file of [plain, compressed]) {
    const { exitCode, stdout, stderr } = await pool('compute', file);
    t.is(exitCode, 0, stderr);
    t.is(stdout, text);
  }
  const out = join(folder, 'statement.json');
  const { exitCode, stdout } = await pool('compute', compressed, '--out', out);
  t.is(exitCode, 0);
  t.is(stdout, `2026-10 USD: 2 products, statement ${sha256}\n`);
  t.is(readFileSync(out, 'utf8'), text);
});

test('a damaged snapshot ends with code 2 and one line that says where', async (t) => {
  const folder = makeFolder(t);
  const write = (name: string, bytes: string | Buffer) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const gzip = gzipSync(SNAPSHOT);
  for (const [file, message] of [
    [write('wrong.json', SNAPSHOT.replace('"999"', '"998"')), /line 11: the file says the hash/],
    [write('negative.json', SNAPSHOT.replace('"999"', '"-99"')), /line 2: "net_minor" is "-99"/],
    [write('cut.json', SNAPSHOT.slice(0, 700)), /line 5: the file ends within the line/],
    [write('cut.json.gz', gzip.subarray(0, gzip.length - 20)), /unexpected end of file/],
    [write('plain.json.gz', SNAPSHOT), /incorrect header check/],
    [join(folder, 'none.json'), /ENOENT/],
  ] as const) {
    const { exitCode, stdout, stderr } = await pool('compute', file);
    t.is(exitCode, 2);
    t.is(stdout, '');
    t.true(stderr.startsWith(`${file}: `), stderr);
    t.regex(stderr, message);
    t.is(stderr.split('\n').length, 2, stderr);
  }
});

test('a hostile snapshot gives one line, and its file is never written over', async (t) => {
  const file = join(makeFolder(t), 'snapshot.json');
  const [first = ''] = SNAPSHOT.split('\n');
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const line of [
    `{"member":${nested}}`,
    '{"a\\u001b[2J\\n":"1"}',
    first.replace('2026', '0001'),
  ]) {
    writeFileSync(file, `${first}\n${line}\n`);
    if (line.includes('0001')) writeFileSync(file, `${line}\n`);
    const { exitCode, stderr } = await pool('compute', file);
    t.is(exitCode, 2);
    t.is(stderr.split('\n').length, 2, stderr);
    t.false(stderr.includes('\u001b['), 'nothing that moves a cursor');
  }
  writeFileSync(file, SNAPSHOT);
  const { exitCode } = await pool('compute', file, '--out', file);
  t.is(exitCode, 2);
  t.is(readFileSync(file, 'utf8'), SNAPSHOT);
});

test('simulate compares the rules on a snapshot', async (t) => {
  const file = join(makeFolder(t), 'snapshot.json');
  writeFileSync(file, SNAPSHOT);
  const { exitCode, stdout } = await pool('simulate', file);
  t.is(exitCode, 0);
  const [intro = '', , , , ...lines] = stdout.split('\n');
  t.regex(intro, /^3 Members, fees of 2,997 USD/);
  t.deepEqual(
    lines.slice(0, 2).map((line) => line.split('|').map((cell) => cell.trim())),
    [
      ['', sha256Hex('a').slice(0, 12), '3', '27', '1,615', '1,887', '272', ''],
      ['', sha256Hex('b').slice(0, 12), '3', '3', '482', '210', '-272', ''],
    ],
  );
});

test('a bot farm takes what its own Members paid; of a shared pot it would take a multiple', async (t) => {
  const { stdout } = await pool('simulate');
  t.is(stdout, `${await simulateExample()}\n`);
  const taken = stdout.matchAll(/paid ([\d,]+) in all.*gets ([\d,]+), by a shared pot ([\d,]+)/g);
  const amounts = [...taken].map((found) => found.slice(1).map((text) => text.replaceAll(',', '')));
  t.is(amounts.length, 2);
  for (const [paid, userCentric, proRata] of amounts) {
    t.deepEqual([paid, userCentric], ['49950', '34950']);
    t.true(Number(proRata) >= 119_173);
  }
});

test('both ways of splitting give away the same pots', async (t) => {
  const rows = compareRules(await computeStatement([SNAPSHOT], HASHING));
  const sum = (key: 'userCentricMinor' | 'proRataMinor') =>
    rows.reduce((all, row) => all + row[key], 0n);
  t.deepEqual([sum('userCentricMinor'), sum('proRataMinor')], [2_097n, 2_097n]);
});

test('the command line is read strictly', (t) => {
  t.deepEqual(readCommand([]), { name: 'help' });
  t.deepEqual(readCommand(['compute', 'a', '--out', 'b']), {
    name: 'compute',
    snapshot: 'a',
    out: 'b',
  });
  t.deepEqual(readCommand(['simulate']), { name: 'simulate', snapshot: null });
  for (const args of [
    ['compute'],
    ['compute', 'a', 'b'],
    ['count', 'a'],
    ['simulate', '--out', 'b'],
    ['--all'],
  ]) {
    t.throws(() => readCommand(args), { instanceOf: UsageError });
  }
});
