import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import { emptyDataDir, openDataDir } from '../../dev/data/data-dir.ts';
import { loadSecrets } from '../../dev/data/secrets.ts';
import { makeFolder } from '../support/engines/folder.ts';

const STARTERS = 6;

test('a folder that holds something else is never taken, let alone emptied', (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'thesis.txt'), 'years of work');
  t.throws(() => openDataDir(folder), { message: /not made by Gatehouse/ });
  t.throws(() => emptyDataDir(folder));
  t.deepEqual(readdirSync(folder), ['thesis.txt']);
});

test('a fresh start empties our folder but keeps it ours and locked', (t) => {
  const folder = openDataDir(join(makeFolder(t), 'data'));
  writeFileSync(join(folder, 'demo.json'), '{}');
  emptyDataDir(folder);
  t.false(existsSync(join(folder, 'demo.json')));
  t.throws(() => openDataDir(folder), { message: /already runs/ });
});

test('secrets are made once and can be read by their owner alone', (t) => {
  const folder = openDataDir(makeFolder(t));
  const secrets = loadSecrets(folder);
  t.deepEqual(loadSecrets(folder), secrets);
  t.is(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
});

test('a second start is refused with the process number of the first', (t) => {
  const folder = openDataDir(makeFolder(t));
  t.throws(() => openDataDir(folder), { message: new RegExp(`process ${process.pid}\\)`) });
});

test('the lock of a process that has died is taken over, whoever has its number now', async (t) => {
  const folder = makeFolder(t);
  const [holder] = startStarters(t, folder, 1);
  t.is(await readWord(holder!), 'held');
  holder!.kill('SIGKILL');
  await once(holder!, 'exit');
  writeFileSync(join(folder, 'lock.pid'), String(process.ppid));
  t.is(openDataDir(folder), folder);
});

test('of many starters at once, one gets the lock', async (t) => {
  const folder = makeFolder(t);
  const starters = startStarters(t, folder, STARTERS);
  const words = await Promise.all(starters.map(readWord));
  t.is(words.filter((word) => word === 'held').length, 1, words.join('\n'));
  t.is(words.filter((word) => word.includes('already runs')).length, STARTERS - 1);
});

/** Processes that open a folder, say so or why not, and stay. */
function startStarters(t: ExecutionContext, folder: string, count: number) {
  const module = new URL('../../dev/data/data-dir.ts', import.meta.url).href;
  const script = `
    const { openDataDir } = await import(${JSON.stringify(module)});
    let word = 'held';
    try { openDataDir(process.argv[1]); } catch (fault) { word = fault.message; }
    console.log(word);
    process.stdin.resume();`;
  const starters = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  t.teardown(() => starters.forEach((starter) => starter.kill('SIGKILL')));
  return starters;
}

async function readWord({ stdout }: { stdout: Readable }): Promise<string> {
  const [word] = await once(createInterface(stdout), 'line');
  return word;
}
