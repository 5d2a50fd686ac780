import { join } from 'node:path';
import { createProcessor } from '../../clients/processor/processor.ts';
import { ENTITIES } from '../../domain/entities.ts';
import type { SecretKey } from '../../domain/shared/secrets.ts';
import type { Config } from '../../platform/config.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { readJson, writeJson } from '../data/json-file.ts';
import type { Addresses } from '../environment.ts';
import { createDemo, placeProducts } from './create.ts';

type Options = Omit<Addresses, 'simulatorUrl'> & {
  databaseUrl: string;
  dataDir: string;
  secretKeys: SecretKey[];
  processor: Config['processor'];
};

/** The content of `demo.json`. */
export type DemoData = Record<
  'base_url' | 'temporal_ui_url' | 'temporal_address' | 'mailbox_url' | 'database_url',
  string
> &
  Awaited<ReturnType<typeof createDemo>>;

/** Makes the demo data once per data folder; later starts only write the addresses anew. */
export async function loadDemoData(options: Options): Promise<DemoData> {
  const { people, products, tokens } = await createOrRead(options);
  const demo = {
    base_url: options.baseUrl,
    temporal_ui_url: options.temporalUiUrl,
    temporal_address: options.temporalAddress,
    mailbox_url: options.mailboxUrl,
    database_url: options.databaseUrl,
    people,
    products,
    tokens,
  };
  writeJson(fileIn(options.dataDir), demo);
  return demo;
}

export function readDemo(dataDir: string): DemoData | null {
  return readJson(fileIn(dataDir), 'Remove it, and it is made anew.');
}

const fileIn = (dataDir: string) => join(dataDir, 'demo.json');

async function createOrRead(options: Options) {
  const { databaseUrl: url, dataDir, secretKeys, processor, baseUrl, mailboxUrl } = options;
  const database = openDatabase({ url, listenUrl: url, name: 'demo', entities: ENTITIES });
  try {
    const services = { secretKeys, baseUrl, processor: createProcessor(processor) };
    const demo = readDemo(dataDir) ?? (await createDemo(database, services));
    await database.transaction((em) => placeProducts(em, mailboxUrl));
    return demo;
  } finally {
    await database.close();
  }
}
