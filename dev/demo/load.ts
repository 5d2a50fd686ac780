import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProcessor } from '../../clients/processor/processor.ts';
import { ENTITIES } from '../../domain/entities.ts';
import type { Config } from '../../platform/config.ts';
import { openDatabase } from '../../platform/database/database.ts';
import type { SecretKey } from '../../domain/shared/secrets.ts';
import { StartFailure } from '../process/failure.ts';
import type { DemoData } from './cast.ts';
import { createDemo } from './create.ts';

type Options = {
  databaseUrl: string;
  dataDir: string;
  secretKeys: SecretKey[];
  baseUrl: string;
  temporalUiUrl: string;
  temporalAddress: string;
  mailboxUrl: string;
  processor: Config['processor'];
};

/** Makes the demo data once per data folder; later starts only write the addresses anew. */
export async function loadDemoData(options: Options): Promise<DemoData> {
  const file = join(options.dataDir, 'demo.json');
  const kept = (await readDemo(file)) ?? (await create(options));
  const demo = {
    base_url: options.baseUrl,
    temporal_ui_url: options.temporalUiUrl,
    temporal_address: options.temporalAddress,
    mailbox_url: options.mailboxUrl,
    database_url: options.databaseUrl,
    people: kept.people,
    products: kept.products,
    tokens: kept.tokens,
  };
  // Written aside and renamed: a killed start leaves the old file or the new one.
  await writeFile(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return demo;
}

export async function readDemo(file: string): Promise<DemoData | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StartFailure(`${file} cannot be read as JSON. Remove it, and it is made anew.`);
  }
}

async function create(options: Options): Promise<Pick<DemoData, 'people' | 'products' | 'tokens'>> {
  const database = await openDatabase({
    url: options.databaseUrl,
    listenUrl: options.databaseUrl,
    name: 'demo',
    entities: ENTITIES,
  });
  try {
    return await createDemo(database, {
      secretKeys: options.secretKeys,
      processor: createProcessor(options.processor),
    });
  } finally {
    await database.close();
  }
}
