import { recordAudit } from '../../domain/audit/audit.repository.ts';
import { ConfigurationError } from '../../platform/config.ts';
import type { Database } from '../../platform/database/database.ts';
import {
  countPoolKeysByKey,
  reencryptPoolKeys,
} from '../../domain/pool/period/period-keys.repository.ts';
import { createEncryptor, type SecretKey, type Encryptor } from '../../domain/shared/secrets.ts';
import {
  countEncryptedByKey,
  reencryptBatch,
  type ReencryptedBatch,
} from '../../domain/webhooks/endpoints/rotate-encryption-key.query.ts';

const MOST_NAMED = 10;

type Options = { keys: readonly SecretKey[]; print(line: string): void };

/** Returns the closing lines. Throws when some values stay as they were. */
export async function rotateKey(database: Database, { keys, print }: Options): Promise<string[]> {
  const encryptor = createEncryptor(keys);
  const { reencrypted, unopened } = await reencryptAll(database, encryptor, print);
  if (reencrypted > 0) {
    await database.transaction((em) =>
      recordAudit(em, {
        by: { personId: null, ip: null },
        action: 'secrets.key_rotated',
        subject: encryptor.keyId,
        detail: { count: reencrypted },
      }),
    );
  }
  const inUse = await countByKey(database);
  const lines = [
    `Encrypted anew with ${encryptor.keyId}: ${reencrypted}.`,
    ...describeKeys(keys, inUse),
  ];
  if (unopened.length === 0) return lines;
  for (const line of lines) print(line);
  throw new ConfigurationError(describeUnopened(unopened));
}

/** `unopened`: what none of our keys opens, in words. */
type Reencrypted = { reencrypted: number; unopened: string[] };

async function reencryptAll(
  { pool, em }: Database,
  encryptor: Encryptor,
  print: Options['print'],
): Promise<Reencrypted> {
  const unopened: string[] = [];
  let reencrypted = 0;
  let after: string | null = null;
  do {
    const batch: ReencryptedBatch = await reencryptBatch(pool, encryptor, after);
    reencrypted += batch.reencrypted;
    unopened.push(
      ...batch.unopened.map(({ endpointId, column }) => `${column} of endpoint ${endpointId}`),
    );
    after = batch.lastId;
    if (after !== null) print(`${reencrypted} so far`);
  } while (after !== null);
  const keys = await reencryptPoolKeys(em(), encryptor);
  unopened.push(...keys.unopened.map((id) => `encrypted_key of pool period ${id}`));
  return { reencrypted: reencrypted + keys.reencrypted, unopened };
}

async function countByKey({ pool, em }: Database): Promise<Map<string, number>> {
  const counts = await countEncryptedByKey(pool);
  for (const [id, n] of await countPoolKeysByKey(em())) counts.set(id, (counts.get(id) ?? 0) + n);
  return counts;
}

function describeKeys(keys: readonly SecretKey[], inUse: Map<string, number>): string[] {
  const used = [...inUse].map(([id, n]) => `Encrypted with ${id}: ${n}.`);
  const current = keys.find(({ isDecryptOnly }) => !isDecryptOnly);
  const idle = keys.filter(({ id }) => !inUse.has(id) && id !== current?.id);
  return [...used, ...idle.map(({ id }) => `Encrypted with ${id}: 0.`)];
}

function describeUnopened(unopened: readonly string[]): string {
  const named = unopened.slice(0, MOST_NAMED).map((name) => `\n  ${name}`);
  const more = unopened.length - named.length;
  return `No key in SECRET_KEYS opens these ${unopened.length} secrets:${named.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
}
