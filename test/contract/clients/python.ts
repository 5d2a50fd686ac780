import { delimiter, join } from 'node:path';
import { readHostEnvironment } from '../../../platform/config.ts';
import { installOnce } from '../install-once.ts';
import { copyProgram, type Generator } from './generator.ts';

const VERSION = '0.29.1';
const MADE = 'gatehouse-client';
// Python compiles a module when it is imported, and nothing imports all of them.
const IMPORT_ALL = `
import importlib, pkgutil, gatehouse_client
for module in pkgutil.walk_packages(gatehouse_client.__path__, 'gatehouse_client.'):
    importlib.import_module(module.name)
`;

export const openapiPythonClient: Generator = {
  name: `openapi-python-client ${VERSION}`,
  needs: { language: 'Python', probe: ['python3', '--version'] },
  async build({ folder, documentUrl, run }) {
    const programs = join(await install(), 'bin');
    const python = join(programs, 'python');
    // It looks for its formatter on the PATH.
    const env = { PATH: [programs, readHostEnvironment()['PATH']].join(delimiter) };
    await run('openapi-python-client', ['generate', '--url', documentUrl], { env });
    const cwd = join(folder, MADE);
    await run(python, ['-c', IMPORT_ALL], { cwd });
    copyProgram('openapi-python-client.py', join(cwd, 'program.py'));
    return [python, join(cwd, 'program.py')];
  },
};

function install(): Promise<string> {
  return installOnce({
    name: 'python-client',
    versions: VERSION,
    async install(environment, run) {
      await run('python3', ['-m', 'venv', environment]);
      const args = ['install', '--quiet', `openapi-python-client==${VERSION}`];
      await run(join(environment, 'bin', 'pip'), args);
    },
  });
}
