import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, readTemporalSettings } from '../platform/config.ts';
import type { Environment } from '../platform/settings/parse-settings.ts';

export type TemporalServer = Omit<ReturnType<typeof readTemporalSettings>, 'address'> & {
  /** Is null where no setting names one. */
  address: string | null;
};

/** The server of the settings; without an address there, that of the platform `npm start` runs. */
export function findTemporalServer(environment?: Environment): TemporalServer {
  const { address, ...settings } = readTemporalSettings(environment);
  return { ...settings, address: address ?? readLocalAddress(settings.dataDir) };
}

function readLocalAddress(dataDir: string): string | null {
  const file = join(dataDir, 'demo.json');
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).temporal_address;
  } catch (error) {
    throw new ConfigurationError(`Cannot read ${file}.`, { cause: error });
  }
}
