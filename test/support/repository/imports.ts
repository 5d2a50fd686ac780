import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const SOURCES =
  'api,domain,workflows,activities,worker,clients,platform,migrations,scripts,dev,packages';

export type SourceFile = {
  path: string;
  /** What it imports at run time: paths within the repository, or package names. */
  imports: string[];
};

const STATEMENT = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?\sfrom\s+)?'([^']+)'/gms;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

/** The product's own source files, tests apart. */
export function readSourceFiles(): SourceFile[] {
  return globSync(`{${SOURCES}}/**/*.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .toSorted()
    .map((path) => ({ path, imports: readImports(path) }));
}

function readImports(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return specifiersOf(path, [...text.matchAll(STATEMENT), ...text.matchAll(DYNAMIC)]);
}

/** What a developer reaches from a file by going to definitions: its imports, types included. */
export function readDefinitions(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return specifiersOf(path, [...text.matchAll(/\bfrom\s+'([^']+)'/g)]);
}

function specifiersOf(path: string, found: RegExpExecArray[]): string[] {
  const specifiers = found.map((match) => match[1]!);
  return specifiers.map((specifier) =>
    specifier.startsWith('.')
      ? relative(ROOT, join(ROOT, normalize(join(dirname(path), specifier))))
      : specifier,
  );
}

/** Each circle once, as the files on the way round. */
export function findCircles(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const way: string[] = [];
  const found: string[][] = [];
  const visit = (path: string) => {
    if (way.includes(path)) return void found.push(way.slice(way.indexOf(path)));
    if (finished.has(path)) return;
    way.push(path);
    for (const imported of byPath.get(path)!.imports) if (byPath.has(imported)) visit(imported);
    way.pop();
    finished.add(path);
  };
  for (const { path } of files) visit(path);
  return found;
}
