import { recordAudit } from '../../domain/audit/audit.repository.ts';
import { ConfigurationError } from '../../platform/config.ts';
import type { Database } from '../../platform/database/database.ts';
import { createSealer, type SecretKey, type Sealer } from '../../domain/shared/secrets.ts';
import {
  countSealedByKey,
  resealBatch,
  type ResealedBatch,
} from '../../domain/webhooks/endpoints/reseal.query.ts';

const MOST_NAMED = 10;

type Options = { keys: readonly SecretKey[]; print(line: string): void };

/** Returns the closing lines. Throws when some values stay as they were. */
export async function resealSecrets(
  database: Database,
  { keys, print }: Options,
): Promise<string[]> {
  const sealer = createSealer(keys);
  const { resealed, unopened } = await resealAll(database, sealer, print);
  if (resealed > 0) {
    await database.transaction((em) =>
      recordAudit(em, {
        by: { personId: null, ip: null },
        action: 'secrets.resealed',
        subject: sealer.keyId,
        detail: { count: resealed },
      }),
    );
  }
  const inUse = await countSealedByKey(database.pool);
  const lines = [`Resealed with ${sealer.keyId}: ${resealed}.`, ...describeKeys(keys, inUse)];
  if (unopened.length === 0) return lines;
  for (const line of lines) print(line);
  throw new ConfigurationError(describeUnopened(unopened));
}

async function resealAll(
  { pool }: Database,
  sealer: Sealer,
  print: Options['print'],
): Promise<Omit<ResealedBatch, 'lastId'>> {
  const unopened: ResealedBatch['unopened'] = [];
  let resealed = 0;
  let after: string | null = null;
  do {
    const batch: ResealedBatch = await resealBatch(pool, sealer, after);
    resealed += batch.resealed;
    unopened.push(...batch.unopened);
    after = batch.lastId;
    if (after !== null) print(`${resealed} so far`);
  } while (after !== null);
  return { resealed, unopened };
}

function describeKeys(keys: readonly SecretKey[], inUse: Map<string, number>): string[] {
  const used = [...inUse].map(([id, n]) => `Sealed with ${id}: ${n}.`);
  const sealing = keys.find(({ isOpenOnly }) => !isOpenOnly);
  const idle = keys.filter(({ id }) => !inUse.has(id) && id !== sealing?.id);
  return [...used, ...idle.map(({ id }) => `Sealed with ${id}: 0.`)];
}

function describeUnopened(unopened: ResealedBatch['unopened']): string {
  const named = unopened
    .slice(0, MOST_NAMED)
    .map(({ endpointId, column }) => `\n  ${column} of endpoint ${endpointId}`);
  const more = unopened.length - named.length;
  return `No key in SECRET_KEYS opens these ${unopened.length} secrets:${named.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
}
