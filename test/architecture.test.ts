import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readSourceFiles, ROOT, type SourceFile } from './support/imports.ts';

const files = readSourceFiles();

const SUBJECTS = [
  'shared',
  'outbox',
  'limits',
  'audit',
  'identity',
  'oauth',
  'teams',
  'catalog',
  'notifications',
  'alerts',
  'webhooks',
  'entitlements',
  'usage',
  'billing',
  'mobile',
];

const subjectOf = (path: string) => /^domain\/([^/]+)\//.exec(path)?.[1] ?? null;
const isInside = (path: string, folder: string) => path.startsWith(`${folder}/`);
// A path within the repository, unlike a package called `ipaddr.js`, has a slash.
const isPackage = (name: string) =>
  !/\/.*\.(ts|js|json)$/.test(name) ||
  name.startsWith('node:') ||
  existsSync(join(ROOT, 'node_modules', name)); // a file of a package
const isMain = (path: string) => /^(api|worker)\/main\.ts$|^dev\/start\.ts$/.test(path);
const isStorage = (path: string) => /\.(entity|repository|query)\.ts$/.test(path);
const isRule = (path: string) =>
  subjectOf(path) !== null && !/\.(entity|repository|query|schema)\.ts$/.test(path);

function violations(
  applies: (file: SourceFile) => boolean,
  isAllowed: (imported: string, file: SourceFile) => boolean,
): string[] {
  return files
    .filter(applies)
    .flatMap((file) =>
      file.imports
        .filter((imported) => !isAllowed(imported, file))
        .map((imported) => `${file.path} imports ${imported}`),
    );
}

test('the sources are found', (t) => {
  t.true(files.length > 60);
  t.true(files.some(({ imports }) => imports.includes('domain/shared/ids.ts')));
});

test('inside domain no subject imports one to its right', (t) => {
  const found = violations(
    ({ path }) => SUBJECTS.includes(subjectOf(path) ?? ''),
    (imported, { path }) => {
      const from = SUBJECTS.indexOf(subjectOf(path)!);
      const to = SUBJECTS.indexOf(subjectOf(imported) ?? 'shared');
      return isPackage(imported) || to <= from;
    },
  );
  t.deepEqual(found, []);
});

const FOLDERS: Record<string, RegExp> = {
  domain: /^(domain|platform)\//,
  platform: /^(platform|domain\/shared)\//,
  clients: /^(clients|platform|domain\/shared)\//,
  workflows: /^(workflows|domain)\//,
  activities: /^((activities|clients|domain|platform)\/|workflows\/contracts\.ts$)/,
  worker: /^((worker|activities|clients|domain|platform)\/|workflows\/contracts\.ts$)/,
  api: /^((api|clients|domain|platform)\/|workflows\/contracts\.ts$)/,
};

for (const [folder, allowed] of Object.entries(FOLDERS)) {
  test(`${folder} imports only what the table of folders allows`, (t) => {
    const found = violations(
      ({ path }) => isInside(path, folder) && !isMain(path),
      (imported) => isPackage(imported) || allowed.test(imported),
    );
    t.deepEqual(found, []);
  });
}

test('domain and platform import nothing of HTTP or Temporal', (t) => {
  const found = violations(
    ({ path }) => isInside(path, 'domain') || isInside(path, 'platform'),
    (imported) => !/^koa|^@koa|^@temporalio/.test(imported),
  );
  t.deepEqual(found, []);
});

test('rules import rules and shared words, never zod, entities, repositories or configuration', (t) => {
  const forbidden = /^(zod|pg|@mikro-orm|koa|@temporalio)|config\.ts$|database\.ts$|\.schema\.ts$/;
  const found = violations(
    ({ path }) => isRule(path),
    (imported) => !forbidden.test(imported) && !isStorage(imported),
  );
  t.deepEqual(found, []);
});

test('entities, repositories and queries import rules, entities and MikroORM, never the shapes of the wire', (t) => {
  const found = violations(
    ({ path }) => isStorage(path),
    (imported) => !/\.schema\.ts$|^zod/.test(imported),
  );
  t.deepEqual(found, []);
});

test('workflows reach Temporal and pure rules only, also through what they import', (t) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const found: string[] = [];
  const visit = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const imported of byPath.get(path)?.imports ?? []) {
      if (byPath.has(imported)) visit(imported);
      else if (!/^@temporalio\/(workflow|common)$/.test(imported))
        found.push(`${path} imports ${imported}`);
    }
  };
  for (const { path } of files) {
    if (isInside(path, 'workflows')) visit(path);
  }
  t.deepEqual(found, []);
  const outside = [...reached].filter(
    (path) => isStorage(path) || /^(api|activities|worker|clients|platform|dev)\//.test(path),
  );
  t.deepEqual(outside, []);
});

test('nobody imports a composition root', (t) => {
  const found = violations(
    () => true,
    (imported) => !isMain(imported),
  );
  t.deepEqual(found, []);
});

test('text is normalised in one place, which looks at its length first', (t) => {
  const found = files.filter(({ path }) =>
    readFileSync(join(ROOT, path), 'utf8').includes('.normalize('),
  );
  t.deepEqual(
    found.map(({ path }) => path),
    ['domain/shared/normalise.ts'],
  );
});
