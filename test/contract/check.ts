import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readHostEnvironment } from '../../platform/config.ts';
import { run } from '../../dev/process/run.ts';
import { LIMITS, type Limits } from '../../api/http/limits.ts';
import { startApi } from '../support/http/api.ts';
import { installSchemathesis } from './schemathesis.ts';

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const CHECK_MS = 600_000;
const UNREACHABLE = 1_000_000;

// It keeps what it found in the folder where it runs.
const cwd = mkdtempSync(join(tmpdir(), 'gatehouse-contract-'));
const schemathesis = await installSchemathesis();
// It asks more often than anybody may: the limits themselves have tests of their own.
const names = Object.keys(LIMITS) as (keyof Limits)[];
const api = await startApi({
  limits: Object.fromEntries(names.map((name) => [name, UNREACHABLE])) as Limits,
});
try {
  const product = await api.seed.product();
  const person = await api.seed.person();
  await api.seed.grant({ productId: product.id, personId: person.id });
  const { clientId, secret } = await api.seed.client({ product });
  const { token } = await api.seed.token({ product, person });
  const args = [
    '--config-file',
    CONFIG,
    'run',
    `${api.url}/openapi.json`,
    ...process.argv.slice(2),
  ];
  await run(schemathesis, args, {
    stdout: 'inherit',
    stderr: 'inherit',
    env: {
      ...readHostEnvironment(),
      CONTRACT_PRODUCT: product.slug,
      CONTRACT_KEY: product.liveKey,
      CONTRACT_TOKEN: token,
      CONTRACT_CLIENT_ID: clientId,
      CONTRACT_CLIENT_SECRET: secret,
    },
    cwd,
    timeout: CHECK_MS,
  });
} catch {
  process.exitCode = 1; // what it found stands above
} finally {
  await api.close();
  rmSync(cwd, { recursive: true, force: true });
}
