import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { runCommand } from '../support/engines/command.ts';
import { makeFolder } from '../support/engines/folder.ts';

const address = process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS']!;

const temporal = (args: string[], settings: Record<string, string>) =>
  runCommand('dev/temporal-cli.ts', { args, settings });

test('npm run temporal reaches the running platform by itself', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ temporal_address: address }));
  const { exitCode, out, err } = await temporal(
    ['operator', 'namespace', 'describe', 'default', '-o', 'json'],
    { GATEHOUSE_DATA_DIR: folder },
  );
  t.is(exitCode, 0, err);
  t.is(JSON.parse(out).namespaceInfo.name, 'default');
});

test('an address of the settings comes first, and the exit code is that of the CLI', async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ temporal_address: '127.0.0.1:1' }));
  const ok = await temporal(['workflow', 'count'], {
    GATEHOUSE_DATA_DIR: folder,
    TEMPORAL_ADDRESS: address,
  });
  t.is(ok.exitCode, 0, ok.err);
  const unknown = await temporal(['workflow', 'describe', '-w', 'none'], {
    TEMPORAL_ADDRESS: address,
  });
  t.not(unknown.exitCode, 0);
});

test('without a binary it says where one comes from', async (t) => {
  const folder = makeFolder(t);
  const settings = { PATH: folder, XDG_CACHE_HOME: folder, GATEHOUSE_DATA_DIR: folder };
  const { exitCode, err } = await temporal(['workflow', 'list'], settings);
  t.is(exitCode, 1);
  t.regex(err, /^There is no Temporal CLI yet: .*`npm start` downloads or builds one/);
});

test('where nothing has run it says whose address it takes', async (t) => {
  const folder = makeFolder(t);
  const { exitCode, err } = await temporal(['--version'], { GATEHOUSE_DATA_DIR: folder });
  t.is(exitCode, 0);
  t.true(err.includes(folder));
});
