import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartFailure } from '../process/failure.ts';

export interface LocalSecrets {
  /** Of the database's superuser, of the owner of its tables, and of api and worker. */
  databasePassword: string;
  ownerPassword: string;
  appPassword: string;
  /** The value of SECRET_KEYS. */
  secretKeys: string;
  simulatorSecretKey: string;
  simulatorWebhookSecret: string;
}

/** Made once per data folder, readable by its owner alone. */
export function loadSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  if (existsSync(file)) return readSecrets(file);
  const secrets = makeSecrets();
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return secrets;
}

function readSecrets(file: string): LocalSecrets {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets;
  } catch {
    throw new StartFailure(
      `${file} cannot be read as JSON. Mend it, or start empty: npm start -- --fresh`,
    );
  }
}

function makeSecrets(): LocalSecrets {
  const password = () => randomBytes(24).toString('base64url');
  return {
    databasePassword: password(),
    ownerPassword: password(),
    appPassword: password(),
    secretKeys: `local1:${randomBytes(32).toString('base64')}`,
    simulatorSecretKey: `sk_test_${randomBytes(24).toString('hex')}`,
    simulatorWebhookSecret: `whsec_${randomBytes(24).toString('hex')}`,
  };
}
