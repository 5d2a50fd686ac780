import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlocks } from '../../support/repository/documents.ts';
import { installOnce } from '../install-once.ts';
import { copyProgram, type Generator } from './generator.ts';

const VERSION = '2.8.2';
const COMMAND = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${VERSION}`;
const MODULE = `module gatehouse.example/app

go 1.25.0

require github.com/oapi-codegen/runtime v1.9.0
`;

export const oapiCodegen: Generator = {
  name: `oapi-codegen ${VERSION}`,
  needs: { language: 'Go', probe: ['go', 'version'] },
  async build({ folder, documentUrl, run }) {
    const generator = join(await install(), 'oapi-codegen');
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write('openapi.json', await (await fetch(documentUrl)).text());
    write('gatehouse.yaml', readDocumentedSettings());
    await run(generator, ['-config', 'gatehouse.yaml', 'openapi.json']);
    write('go.mod', MODULE);
    copyProgram('oapi-codegen.go', join(folder, 'main.go'));
    await run('go', ['mod', 'tidy']);
    await run('go', ['vet', './...']);
    await run('go', ['build', '-o', 'program', '.']);
    return [join(folder, 'program')];
  },
};

/** Those that our guide gives. */
function readDocumentedSettings(): string {
  const settings = readBlocks('docs/access.md', 'yaml').find((block) =>
    block.includes('generate:'),
  );
  if (!settings) throw new Error('docs/access.md has no settings of oapi-codegen.');
  return settings;
}

function install(): Promise<string> {
  return installOnce({
    name: 'oapi-codegen',
    versions: VERSION,
    install: (folder, run) => run('go', ['install', COMMAND], { GOBIN: folder }),
  });
}
