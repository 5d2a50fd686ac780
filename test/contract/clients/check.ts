import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { readHostEnvironment } from '../../../platform/config.ts';
import { run } from '../../../dev/process/run.ts';
import { startApi } from '../../support/http/api.ts';
import { newCode } from '../../support/identity/oauth.ts';
import { isOnThisMachine } from '../../support/repository/documented.ts';
import type { Generator } from './generator.ts';
import { oapiCodegen } from './go.ts';
import { openapiPythonClient } from './python.ts';
import { heyApi, openapiTypescript } from './typescript.ts';

const GENERATORS = [openapiTypescript, heyApi, openapiPythonClient, oapiCodegen];
const STEP_MS = 300_000;

const api = await startApi();
const product = await api.seed.product();
const person = await api.seed.person();
await api.seed.grant({ productId: product.id, personId: person.id });
const client = await api.seed.client({ product });
const browser = api.browser();
await browser.signIn(person);

/** What each program says that it saw. */
const EXPECTED = {
  active: true,
  profile: person.id,
  counted: true,
  qualifying: true,
  status_after_revocation: 401,
};

let passed = 0;
let failed = 0;
for (const generator of GENERATORS) {
  const { name, needs } = generator;
  if (!isOnThisMachine(needs)) {
    console.log(`  - ${name}: skipped, because this machine has no ${needs.language}`);
    continue;
  }
  const error = await tryOut(generator).then(
    () => null,
    (thrown: Error) => thrown,
  );
  if (error) failed += 1;
  else passed += 1;
  console.log(
    error ? `  ✘ ${name}: ${error.message}` : `  ✔ ${name}: its client compiles and calls`,
  );
}
await api.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function tryOut(generator: Generator): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'));
  const task = { cwd: folder, timeout: STEP_MS };
  try {
    const [program, ...args] = await generator.build({
      folder,
      documentUrl: `${api.url}/openapi.json`,
      run: (command, given, { env, ...options } = {}) =>
        run(command, given, { ...task, ...options, env: { ...readHostEnvironment(), ...env } }),
    });
    const { stdout } = await run(program, args, { ...task, env: await newEnvironment() });
    const seen: unknown = JSON.parse(stdout.join('\n'));
    if (!isDeepStrictEqual(seen, EXPECTED)) {
      throw new Error(`it saw ${JSON.stringify(seen)} instead of ${JSON.stringify(EXPECTED)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For one program: a code works once. */
async function newEnvironment() {
  return {
    ...readHostEnvironment(),
    GATEHOUSE: api.url,
    GATEHOUSE_KEY: product.liveKey,
    USER_ID: person.id,
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: client.redirectUri,
    CODE: await newCode(browser, client),
  };
}
