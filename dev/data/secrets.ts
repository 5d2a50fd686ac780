import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartFailure } from '../process/failure.ts';

export type LocalSecrets = ReturnType<typeof makeSecrets>;

/** Made once per data folder, readable by its owner alone. */
export function loadSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file)) {
    const draft = `${file}.draft`;
    writeFileSync(draft, `${JSON.stringify(makeSecrets(), null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  }
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new StartFailure(
      `${file} cannot be read as JSON. Mend it, or start empty: npm start -- --fresh`,
    );
  }
}

function makeSecrets() {
  const password = () => randomBytes(24).toString('base64url');
  return {
    /** Of the database's superuser, of the owner of its tables, and of api and worker. */
    databasePassword: password(),
    ownerPassword: password(),
    appPassword: password(),
    /** The value of SECRET_KEYS. */
    secretKeys: `local1:${randomBytes(32).toString('base64')}`,
    simulatorSecretKey: `sk_test_${randomBytes(24).toString('hex')}`,
    simulatorWebhookSecret: `whsec_${randomBytes(24).toString('hex')}`,
  };
}
