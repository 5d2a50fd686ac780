// Each mutant has modules of its own in this process: their addresses carry its name, from the test file
// to what that imports.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/repository/imports.ts';

type Changed = { file: string; source: string };

const addressOf = (path: string) => pathToFileURL(join(ROOT, path)).href;
const PACKAGES = addressOf('node_modules/');
const HERE = addressOf('test/mutants/');
const BUNDLE = addressOf('worker/bundle.ts');
const AVA = addressOf('test/mutants/ava.ts');
const COURT = addressOf('test/mutants/court.ts');
const NAME = '?mutant=';

const changed = new Map<string, string>();

/** The address of a test file whose imports see one changed file. */
export function addressWith(test: string, { file, source }: Changed, name: string): string {
  changed.clear();
  changed.set(addressOf(file) + NAME + name, source);
  return addressOf(test) + NAME + name;
}

registerHooks({
  resolve(specifier, context, next) {
    const [, name] = (context.parentURL ?? '').split(NAME);
    if (name !== undefined && specifier === 'ava') return { url: AVA, shortCircuit: true };
    const found = next(specifier, context);
    if (name === undefined || found.url.includes(NAME)) return found;
    // A test that loads the bundle gets that of its mutant.
    if (found.url === BUNDLE) return { ...found, url: COURT };
    const isOurs = found.url.startsWith(addressOf('')) && !found.url.startsWith(PACKAGES);
    return isOurs && !found.url.startsWith(HERE)
      ? { ...found, url: found.url + NAME + name }
      : found;
  },
  load(url, context, next) {
    const source = changed.get(url);
    return source === undefined
      ? next(url, context)
      : { format: 'module-typescript', source, shortCircuit: true };
  },
});
