import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { readDefinitions } from '../support/repository/imports.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDES = globSync('docs/*.md', { cwd: ROOT });
const DECISIONS = globSync('docs/decisions/*.md', { cwd: ROOT });
const PAGES = [...GUIDES, ...DECISIONS, 'README.md'];

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

test('every guide begins with whom it is for and what it answers', (t) => {
  t.true(GUIDES.length > 10);
  for (const guide of GUIDES) {
    const [title = '', beginning = ''] = read(guide).split('\n\n');
    t.regex(title, /^# .+$/, guide);
    t.regex(beginning.replaceAll('\n', ' '), /^This (guide|page) is for [^:]+: it .+\.$/, guide);
  }
});

test('every relative link of the documentation leads to a file', (t) => {
  for (const page of PAGES) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      t.true(existsSync(join(ROOT, dirname(page), target)), `${page}: ${target}`);
    }
  }
});

const FILE =
  /`((?:activities|api|clients|dev|docs|domain|packages|platform|scripts|test|worker|workflows)\/[^`\s<*]+)`/g;

test('every file that the documentation names is there', (t) => {
  for (const page of PAGES) {
    for (const [, path = ''] of read(page).matchAll(FILE)) {
      t.true(existsSync(join(ROOT, path)), `${page}: ${path}`);
    }
  }
});

type Step = { path: string; from: string };

const ARCHITECTURE = read('docs/architecture.md');
const ways = ARCHITECTURE.split('\n## ')
  .slice(1, 5)
  .map((way) =>
    [...way.matchAll(/^\| \d+ +\| `([^`]+)` +\| (.+?) +\| /gm)].map(([, path, from]): Step => ({
      path: path!,
      from: from!,
    })),
  );

test('the ways through the code are as short as the architecture page says', (t) => {
  t.regex(
    ARCHITECTURE.replaceAll('\n', ' '),
    /A check takes 10 files, a form of the console and a retry 12 each, a purchase 25\./,
  );
  const [check, form, purchase, retry] = ways.map((way) => way.map(({ path }) => path));
  t.deepEqual(
    [check, form, purchase, retry].map((files) => files!.length),
    [10, 12, 25, 12],
  );
  t.is(form![0], 'api/console/webhooks/endpoints.routes.ts');
  for (const files of [check!, form!, purchase!, retry!]) {
    t.is(new Set(files).size, files.length);
    for (const path of files) t.true(existsSync(join(ROOT, path)), path);
  }
});

test('each file on a way is imported by the step that the page names, or says how the way jumps', (t) => {
  for (const way of ways) {
    for (const [index, { path, from }] of way.slice(1).entries()) {
      if (/^jump: \w/.test(from)) continue;
      const step = Number(from);
      t.true(step >= 1 && step <= index + 1, `${path}: from ${from}`);
      t.true(readDefinitions(way[step - 1]!.path).includes(path), `${path}: from step ${from}`);
    }
  }
});

const FIRST_CHANGE = 'docs/first-change.md';
const scripts = Object.keys(
  (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts,
);

test('the guide to a first change names files, commands and identifiers that exist', (t) => {
  const text = read(FIRST_CHANGE);
  const fences = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
  const paths = spans.filter((span) => existsSync(join(ROOT, span)));
  const code = paths
    .filter((path) => path.endsWith('.ts'))
    .map(read)
    .join('\n');
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  t.true(paths.length > 5);
  for (const span of spans) {
    if (/^[A-Za-z]\w*$/.test(span)) t.true(span === 'routes' || isNamed(span), span);
    else if (span.startsWith('npm ')) t.true(scripts.includes(span.split(' ').at(-1)!), span);
    else t.true(paths.includes(span) || /^\/|@example\.com$/.test(span), span);
  }
  for (const [, language, block = ''] of fences) {
    if (language === 'ts') {
      for (const [name] of block.replace(/'[^']*'/g, '').matchAll(/[A-Za-z]\w*/g)) {
        t.true(isNamed(name), name);
      }
    } else {
      for (const [path] of block.matchAll(/\btest\/\S+/g))
        t.true(existsSync(join(ROOT, path)), path);
      for (const [, script] of block.matchAll(/npm (?:run )?(\w+)/g)) {
        t.true(script === 'ci' || scripts.includes(script!), script);
      }
    }
  }
});

test('the README shows at most twelve commands, and the page of commands every one', (t) => {
  const [, table = ''] = read('README.md').split(/^\| command +\| what it does +\|$/m);
  const rows = table.split('\n\n')[0]!.trim().split('\n').slice(1);
  t.true(rows.length > 5 && rows.length <= 12);
  const page = read('docs/commands.md');
  for (const script of scripts) {
    t.regex(page, new RegExp(`\`(npm (run )?)?${script}[ \`]`), script);
  }
});
