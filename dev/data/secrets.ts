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

function readSecrets(file: string): Partial<LocalSecrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<LocalSecrets>;
  } catch {
    throw new StartFailure(
      `${file} cannot be read as JSON. Mend it, or start empty: npm start -- --fresh`,
    );
  }
}

/** Made once per data folder, readable by its owner alone; what an older version lacks is added. */
export function loadSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  const kept = existsSync(file) ? readSecrets(file) : {};
  const secrets: LocalSecrets = { ...makeSecrets(), ...kept };
  if (Object.keys(secrets).every((name) => name in kept)) return secrets;
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return secrets;
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
