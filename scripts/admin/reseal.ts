import { recordAudit } from '../../domain/audit/audit.repository.ts';
import { ConfigurationError } from '../../platform/config.ts';
import type { Database } from '../../platform/database/database.ts';
import {
  countPoolKeysByKey,
  resealPoolKeys,
} from '../../domain/pool/period/period-keys.repository.ts';
import { createSealer, type SecretKey, type Sealer } from '../../domain/shared/secrets.ts';
import {
  countSealedByKey,
  resealBatch,
  type ResealedBatch,
} from '../../domain/webhooks/endpoints/rotate-encryption-key.query.ts';

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
  const inUse = await countByKey(database);
  const lines = [`Resealed with ${sealer.keyId}: ${resealed}.`, ...describeKeys(keys, inUse)];
  if (unopened.length === 0) return lines;
  for (const line of lines) print(line);
  throw new ConfigurationError(describeUnopened(unopened));
}

/** `unopened`: what none of our keys opens, in words. */
type Resealed = { resealed: number; unopened: string[] };

async function resealAll(
  { pool, em }: Database,
  sealer: Sealer,
  print: Options['print'],
): Promise<Resealed> {
  const unopened: string[] = [];
  let resealed = 0;
  let after: string | null = null;
  do {
    const batch: ResealedBatch = await resealBatch(pool, sealer, after);
    resealed += batch.resealed;
    unopened.push(
      ...batch.unopened.map(({ endpointId, column }) => `${column} of endpoint ${endpointId}`),
    );
    after = batch.lastId;
    if (after !== null) print(`${resealed} so far`);
  } while (after !== null);
  const keys = await resealPoolKeys(em(), sealer);
  unopened.push(...keys.unopened.map((id) => `sealed_key of pool period ${id}`));
  return { resealed: resealed + keys.resealed, unopened };
}

async function countByKey({ pool, em }: Database): Promise<Map<string, number>> {
  const counts = await countSealedByKey(pool);
  for (const [id, n] of await countPoolKeysByKey(em())) counts.set(id, (counts.get(id) ?? 0) + n);
  return counts;
}

function describeKeys(keys: readonly SecretKey[], inUse: Map<string, number>): string[] {
  const used = [...inUse].map(([id, n]) => `Sealed with ${id}: ${n}.`);
  const sealing = keys.find(({ isOpenOnly }) => !isOpenOnly);
  const idle = keys.filter(({ id }) => !inUse.has(id) && id !== sealing?.id);
  return [...used, ...idle.map(({ id }) => `Sealed with ${id}: 0.`)];
}

function describeUnopened(unopened: readonly string[]): string {
  const named = unopened.slice(0, MOST_NAMED).map((name) => `\n  ${name}`);
  const more = unopened.length - named.length;
  return `No key in SECRET_KEYS opens these ${unopened.length} secrets:${named.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
}
