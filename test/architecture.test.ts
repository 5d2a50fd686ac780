import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { findDialect } from './support/repository/dialect.ts';
import {
  findCircles,
  readDefinitions,
  readSourceFiles,
  ROOT,
  type SourceFile,
} from './support/repository/imports.ts';

const files = readSourceFiles();

// A subject may use those before it: a client of `oauth` belongs to a product of `catalog`.
const SUBJECTS = (
  'shared outbox limits identity teams catalog audit oauth request-log notifications alerts webhooks ' +
  'entitlements authentication usage billing pool seal product-figures retention search'
).split(' ');

const subjectOf = (path: string) => /^domain\/([^/]+)\//.exec(path)?.[1] ?? null;
const isInside = (path: string, folder: string) => path.startsWith(`${folder}/`);
// A path within the repository, unlike a package called `ipaddr.js`, has a slash.
const isPackage = (name: string) =>
  !/\/.*\.(ts|js|json)$/.test(name) ||
  name.startsWith('node:') ||
  existsSync(join(ROOT, 'node_modules', name)); // a file of a package
const isMain = (path: string) => /^(api|worker)\/main\.ts$|^dev\/start\.ts$/.test(path);
const isStorage = (path: string) => /\.(entity|repository|query)\.ts$/.test(path);
// One change of state: it may use all of the domain, and no rule, entity or statement uses it.
const isCommand = (path: string) => path.endsWith('.command.ts');
const isRule = (path: string) =>
  subjectOf(path) !== null &&
  !isCommand(path) &&
  !/\.(entity|repository|query|schema)\.ts$/.test(path);

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

test('the order of subjects names every folder of domain', (t) => {
  const folders = new Set(files.map(({ path }) => subjectOf(path)).filter((name) => name !== null));
  t.deepEqual([...folders].toSorted(), SUBJECTS.toSorted());
});

test('inside domain no subject imports a later one, except in its commands', (t) => {
  const found = violations(
    ({ path }) => SUBJECTS.includes(subjectOf(path) ?? '') && !isCommand(path),
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
    (imported) => !forbidden.test(imported) && !isStorage(imported) && !isCommand(imported),
  );
  t.deepEqual(found, []);
});

// Random ids, hashes and ciphers come from here; elsewhere they are parameters.
const WITH_NODE = [
  'domain/identity/password.ts',
  'domain/shared/ids.ts',
  'domain/shared/secrets.ts',
  'domain/shared/sha256.ts',
];

test('rules reach nothing of Node', (t) => {
  const found = files.filter(
    ({ path, imports }) => isRule(path) && imports.some((name) => name.startsWith('node:')),
  );
  t.deepEqual(
    found.map(({ path }) => path),
    WITH_NODE,
  );
});

test('entities, repositories and queries import rules, entities and MikroORM, never the shapes of the wire', (t) => {
  const found = violations(
    ({ path }) => isStorage(path),
    (imported) => !/\.schema\.ts$|^zod/.test(imported) && !isCommand(imported),
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
    (path) =>
      isStorage(path) ||
      isCommand(path) ||
      /^(api|activities|worker|clients|platform|dev)\//.test(path),
  );
  t.deepEqual(outside, []);
});

test('commands import the domain and the platform, never the shapes of the wire', (t) => {
  const found = violations(
    ({ path }) => isCommand(path),
    (imported) => !/\.schema\.ts$|^zod/.test(imported),
  );
  t.deepEqual(found, []);
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

test('no file imports itself through others, types included', (t) => {
  const withTypes = files.map(({ path }) => ({ path, imports: readDefinitions(path) }));
  t.deepEqual(findCircles(withTypes), []);
});

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const inApi = files.filter(({ path }) => isInside(path, 'api'));
const holding = (pattern: RegExp, among = inApi) =>
  among.filter(({ path }) => pattern.test(read(path))).map(({ path }) => path);

// An area of the API may use those before it, and all of them the kernel, the face and the services.
const AREAS = 'docs health v1 processor-events account oauth storefront console operator'.split(
  ' ',
);
const areaOf = (path: string) => /^api\/([^/]+)\//.exec(path)?.[1] ?? null;

test('the order of areas names every folder of the API', (t) => {
  const folders = new Set(inApi.map(({ path }) => areaOf(path)).filter((name) => name !== null));
  t.deepEqual([...folders].toSorted(), [...AREAS, 'html', 'http'].toSorted());
});

test('the kernel of the API imports no area, and an area no later one', (t) => {
  const found = violations(
    ({ path }) => areaOf(path) !== null,
    (imported, { path }) => {
      const place = AREAS.indexOf(areaOf(imported) ?? '');
      return (
        !isInside(imported, 'api') ||
        /^api\/(http|html)\/|^api\/services\.ts$/.test(imported) ||
        (place >= 0 && place <= AREAS.indexOf(areaOf(path) ?? ''))
      );
    },
  );
  t.deepEqual(found, []);
});

test('the order of the middleware stands in one file', (t) => {
  t.deepEqual(holding(/\.use\(/), ['api/app.ts']);
  const lines = read('api/app.ts').split('\n');
  const [first, last] = [/^export function createApp/, /^}/].map((edge) =>
    lines.findIndex((line) => edge.test(line)),
  );
  t.true(last! - first! < 40);
  const order = [...read('api/app.ts').matchAll(/\.use\(([\w.]+)\(/g)].map(([, name]) => name);
  const named = ['requestId', 'requestLog', 'errorHandler', 'securityHeaders', 'compress'];
  t.deepEqual(
    order.filter((name) => named.includes(name!)),
    named,
  );
  t.deepEqual(order.slice(-4), ['allowedMethods', 'routeRequests', 'compress', 'routeRequests']);
});

const BY_LIBRARY: Record<string, RegExp> = {
  'bodies are read by raw-body and busboy': /for await \(const \w+ of (ctx\.)?req|Buffer\.concat\(/,
  'cookies are read and written by ctx.cookies': /set-cookie|get\('cookie'\)\.|\.split\(';/i,
  'CORS is @koa/cors': /access-control-/i,
  'security headers are those of helmet':
    /['"](x-content-type-options|x-frame-options|strict-transport-security|referrer-policy)/i,
  'ETags are those of @koa/etag': /ctx\.set\(\W*etag|headers\W+etag|\.fresh\b/i,
  'Koa makes its own contexts': /createContext/,
  'Koa writes the response': /\b(ctx|response)\.res\.|\.writeHead\(/,
};

for (const [title, homeMade] of Object.entries(BY_LIBRARY)) {
  test(`HTTP: ${title}`, (t) => {
    t.deepEqual(holding(homeMade), []);
  });
}

test('HTTP: compression is koa-compress, and assets are compressed at the start', (t) => {
  t.deepEqual(holding(/node:zlib|\.pipe\(create/), ['api/html/assets.ts']);
});

test('limits are those of rate-limiter-flexible, in production too', (t) => {
  const manifest = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  t.truthy(manifest.dependencies['rate-limiter-flexible']);
  t.deepEqual(
    holding(
      /from 'rate-limiter-flexible'/,
      files.filter(({ path }) => !isInside(path, 'packages')),
    ).filter((path) => !/^(api|domain\/limits)\//.test(path)),
    [],
  );
});

const HOT = ['v1/entitlements', 'oauth/profile', 'v1/usage', 'oauth/token'];

for (const name of HOT) {
  test(`the handler of ${name}.routes.ts and each of its functions have at most 40 lines`, (t) => {
    const lines = read(`api/${name}.routes.ts`).split('\n');
    let isHandlerFound = false;
    for (const [start, line] of lines.entries()) {
      const [, indent] = /^( *)(?:export )?(?:async )?(?:function \w+|handler)\(/.exec(line) ?? [];
      if (indent === undefined) continue;
      isHandlerFound ||= line.includes('handler(');
      const end = lines.findIndex((later, at) => at > start && later.startsWith(`${indent}}`));
      t.true(end - start < 40, line);
    }
    t.true(isHandlerFound);
  });
}

test('no file, folder or identifier of ours has a word of the dialect', (t) => {
  t.deepEqual(findDialect(files), []);
  t.false(files.some(({ path }) => /(^|\/)local\/|\.store\.ts$/.test(path)));
});
