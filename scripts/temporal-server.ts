import { join } from 'node:path';
import { readTemporalSettings } from '../platform/config.ts';
import type { Environment } from '../platform/settings/parse-settings.ts';
import { readJson } from './json-file.ts';

export type TemporalServer = Omit<ReturnType<typeof readTemporalSettings>, 'address'> & {
  /** Is null where no setting names one. */
  address: string | null;
};

/** The server of the settings; without an address there, that of the platform `npm start` runs. */
export function findTemporalServer(environment?: Environment): TemporalServer {
  const { address, ...settings } = readTemporalSettings(environment);
  const demo = () => readJson<{ temporal_address: string }>(join(settings.dataDir, 'demo.json'));
  return { ...settings, address: address ?? demo()?.temporal_address ?? null };
}
