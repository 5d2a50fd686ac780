// Encrypts the secrets of endpoints with the first key. Values are bound parameters, and each row is
// a statement of its own: signing, showing and rotating at the same time wait for one row at most.
import type pg from 'pg';
import type { Encryptor } from '../../shared/secrets.ts';
import { decryptEndpointSecret, encryptEndpointSecret } from './endpoint-secret-encryption.ts';

const ENCRYPTED_COLUMNS = ['encrypted_secret', 'previous_encrypted_secret'] as const;

const BATCH = 500;

type EncryptedValue = {
  endpointId: string;
  column: (typeof ENCRYPTED_COLUMNS)[number];
  encrypted: string;
};

export type ReencryptedBatch = {
  reencrypted: number;
  /** Values that none of our keys opens. */
  unopened: Pick<EncryptedValue, 'endpointId' | 'column'>[];
  /** The start of the next batch; null at the end. */
  lastId: string | null;
};

/** Encrypts one batch of values anew that another key than the first encrypted. */
export async function reencryptBatch(
  pool: pg.Pool,
  encryptor: Encryptor,
  after: string | null,
): Promise<ReencryptedBatch> {
  const values = await findForeign(pool, encryptor.keyId, after);
  const unopened: ReencryptedBatch['unopened'] = [];
  let reencrypted = 0;
  for (const value of values) {
    const anew = encryptAnew(encryptor, value);
    if (anew === null) unopened.push({ endpointId: value.endpointId, column: value.column });
    else reencrypted += await replaceValue(pool, value, anew);
  }
  return { reencrypted, unopened, lastId: values.at(-1)?.endpointId ?? null };
}

/** The number of values that each key encrypted, by the key's id. */
export async function countEncryptedByKey(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ keyId: string; n: number }>(
    `select split_part(encrypted, ':', 1) as "keyId", count(*)::int as n
     from webhook_endpoint, unnest(array[${ENCRYPTED_COLUMNS.join(', ')}]) encrypted
     where encrypted is not null group by 1 order by 1`,
  );
  return new Map(rows.map(({ keyId, n }) => [keyId, n]));
}

async function findForeign(
  pool: pg.Pool,
  keyId: string,
  after: string | null,
): Promise<EncryptedValue[]> {
  const isForeign = ENCRYPTED_COLUMNS.map((column) => `split_part(${column}, ':', 1) <> $1`);
  const { rows } = await pool.query<
    { id: string } & Record<EncryptedValue['column'], string | null>
  >(
    `select id, ${ENCRYPTED_COLUMNS.join(', ')} from webhook_endpoint
     where ($2::uuid is null or id > $2) and (${isForeign.join(' or ')})
     order by id limit ${BATCH}`,
    [keyId, after],
  );
  return rows.flatMap((row) =>
    ENCRYPTED_COLUMNS.flatMap((column) => {
      const encrypted = row[column];
      const isOurs = encrypted === null || encrypted.startsWith(`${keyId}:`);
      return isOurs ? [] : [{ endpointId: row.id, column, encrypted }];
    }),
  );
}

function encryptAnew(
  encryptor: Encryptor,
  { endpointId, encrypted }: EncryptedValue,
): string | null {
  try {
    const secret = decryptEndpointSecret(encryptor, endpointId, encrypted);
    return encryptEndpointSecret(encryptor, endpointId, secret);
  } catch {
    return null;
  }
}

/** Zero when the value was rotated in the meantime. */
async function replaceValue(
  pool: pg.Pool,
  { endpointId, column, encrypted }: EncryptedValue,
  anew: string,
): Promise<number> {
  const { rowCount } = await pool.query(
    `update webhook_endpoint set ${column} = $3 where id = $1 and ${column} = $2`,
    [endpointId, encrypted, anew],
  );
  return rowCount ?? 0;
}
