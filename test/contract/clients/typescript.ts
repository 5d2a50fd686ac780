import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installOnce } from '../install-once.ts';
import { copyProgram, type Generator, type Work } from './generator.ts';

const OPENAPI_TYPESCRIPT = '7.13.0';
const HEY_API = '0.95.0';
const PACKAGES = [
  `openapi-typescript@${OPENAPI_TYPESCRIPT}`,
  'openapi-fetch@0.17.0',
  `@hey-api/openapi-ts@${HEY_API}`,
  // The newest that both generators take.
  'typescript@5.9.3',
  '@types/node@24.19.2',
];
const COMPILER = {
  strict: true,
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
};

const needs = { language: 'Node.js', probe: ['node', '--version'] } as const;

export const openapiTypescript: Generator = {
  name: `openapi-typescript ${OPENAPI_TYPESCRIPT}`,
  needs,
  build: (work) =>
    compile(work, {
      program: 'openapi-typescript',
      generate: ['openapi-typescript', work.documentUrl, '-o', 'gatehouse.d.ts'],
    }),
};

export const heyApi: Generator = {
  name: `@hey-api/openapi-ts ${HEY_API}`,
  needs,
  build: (work) =>
    compile(work, {
      program: 'hey-api',
      generate: ['openapi-ts', '-i', work.documentUrl, '-o', 'gatehouse'],
    }),
};

type Client = { program: string; generate: readonly [string, ...string[]] };

async function compile({ folder, run }: Work, { program, generate }: Client) {
  const [generator, ...args] = generate;
  const tools = join(folder, 'node_modules');
  // A copy, not a link: a generator looks for tsconfig.json from where it lies itself.
  cpSync(join(await install(), 'node_modules'), tools, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER }));
  await run(join(tools, '.bin', generator), args);
  copyProgram(`${program}.mts`, join(folder, 'program.mts'));
  await run(join(tools, '.bin', 'tsc'), []);
  return ['node', 'program.mjs'] as const;
}

function install(): Promise<string> {
  return installOnce({
    name: 'typescript-clients',
    versions: PACKAGES.join(' '),
    install: (folder, run) =>
      run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...PACKAGES]),
  });
}
