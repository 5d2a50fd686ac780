import { join } from 'node:path';
import { ConfigurationError, readAdminConfig, readSecretKeys } from '../../platform/config.ts';
import type { Environment } from '../../platform/settings/parse-settings.ts';
import { readJson } from '../json-file.ts';
import type { SecretKey } from '../../domain/shared/secrets.ts';

export type AdminSettings = {
  databaseUrl: string;
  baseUrl: string | undefined;
  secretKeys: SecretKey[] | undefined;
};

/** Reads the environment; without a database there, the data folder of `npm start`. */
export function readAdminSettings(environment?: Environment): AdminSettings {
  const given = readAdminConfig(environment);
  if (given.DATABASE_URL) {
    const { DATABASE_URL: databaseUrl, BASE_URL: baseUrl, SECRET_KEYS: secretKeys } = given;
    return { databaseUrl, baseUrl, secretKeys };
  }
  const folder = given.GATEHOUSE_DATA_DIR;
  const demo = readJson<{ database_url: string; base_url: string }>(join(folder, 'demo.json'));
  const secrets = readJson<{ secretKeys: string }>(join(folder, 'secrets.json'));
  if (!demo || !secrets) {
    throw new ConfigurationError(
      `No database. Set DATABASE_URL, or run \`npm start\` first (looked in ${folder}).`,
    );
  }
  return {
    databaseUrl: demo.database_url,
    baseUrl: demo.base_url,
    secretKeys: readSecretKeys(secrets.secretKeys),
  };
}
