import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './json-file.ts';

export type LocalSecrets = ReturnType<typeof makeSecrets>;

/** Made once per data folder. */
export function loadSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  const kept = readJson<LocalSecrets>(file, 'Mend it, or start empty: npm start -- --fresh');
  const secrets = kept ?? makeSecrets();
  if (!kept) writeJson(file, secrets);
  return secrets;
}

function makeSecrets() {
  const random = (bytes: number, encoding: BufferEncoding) => randomBytes(bytes).toString(encoding);
  return {
    /**
     * The passwords of the database's superuser, of the owner of its tables, and of api and worker.
     */
    databasePassword: random(24, 'base64url'),
    ownerPassword: random(24, 'base64url'),
    appPassword: random(24, 'base64url'),
    /** The value of SECRET_KEYS. */
    secretKeys: `local1:${random(32, 'base64')}`,
    simulatorSecretKey: `sk_test_${random(24, 'hex')}`,
    simulatorWebhookSecret: `whsec_${random(24, 'hex')}`,
  };
}
