import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'ava';
import { emptyDataDir, openDataDir } from '../../dev/data/data-dir.ts';
import { acquireLock } from '../../dev/data/lock.ts';
import { loadSecrets } from '../../dev/data/secrets.ts';
import { makeFolder } from '../support/folder.ts';

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
  const lock = acquireLock(folder);
  writeFileSync(join(folder, 'demo.json'), '{}');
  emptyDataDir(folder);
  t.false(existsSync(join(folder, 'demo.json')));
  t.throws(() => acquireLock(folder), { message: /already runs/ });
  lock.release();
  t.is(openDataDir(folder), folder);
});

test('secrets are made once and can be read by their owner alone', (t) => {
  const folder = openDataDir(makeFolder(t));
  const secrets = loadSecrets(folder);
  t.deepEqual(loadSecrets(folder), secrets);
  t.is(statSync(join(folder, 'secrets.json')).mode & 0o777, 0o600);
});

test('a second start is refused with the process number of the first', (t) => {
  const folder = openDataDir(makeFolder(t));
  const lock = acquireLock(folder);
  t.throws(() => acquireLock(folder), { message: new RegExp(`process ${process.pid}\\)`) });
  lock.release();
  acquireLock(folder).release();
  t.pass();
});

test('the lock of a process that has died, or whose number was given away, is taken over', (t) => {
  const folder = openDataDir(makeFolder(t));
  writeFileSync(join(folder, 'lock.3'), JSON.stringify({ pid: process.pid, identity: 'earlier' }));
  acquireLock(folder).release();
  t.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('lock')),
    ['lock.4'],
  );
});

test('of many starters that find a stale lock at once, one gets it', async (t) => {
  const folder = openDataDir(makeFolder(t));
  writeFileSync(join(folder, 'lock.1'), JSON.stringify({ pid: process.pid, identity: 'earlier' }));
  const lock = new URL('../../dev/data/lock.ts', import.meta.url).href;
  const script = `
    const { acquireLock } = await import(${JSON.stringify(lock)});
    let word = 'held';
    try { acquireLock(process.argv[1]); } catch (fault) { word = fault.message; }
    console.log(word);
    process.stdin.resume();`;
  const starters = Array.from({ length: STARTERS }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  t.teardown(() => starters.forEach((starter) => starter.kill('SIGKILL')));
  const words = await Promise.all(
    starters.map(async ({ stdout }) => (await once(createInterface(stdout), 'line'))[0] as string),
  );
  t.is(words.filter((word) => word === 'held').length, 1, words.join('\n'));
  t.is(words.filter((word) => word.includes('already runs')).length, STARTERS - 1);
});
