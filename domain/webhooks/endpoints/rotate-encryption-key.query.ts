// Reseals the secrets of endpoints. Values are bound parameters, and each row is a statement of its
// own: signing, showing and rotating at the same time wait for one row at most.
import type pg from 'pg';
import type { Sealer } from '../../shared/secrets.ts';
import { openEndpointSecret, sealEndpointSecret } from './endpoint-secret.ts';

const SEALED_COLUMNS = ['sealed_secret', 'previous_sealed_secret'] as const;

const BATCH = 500;

type SealedValue = { endpointId: string; column: (typeof SEALED_COLUMNS)[number]; sealed: string };

export type ResealedBatch = {
  resealed: number;
  /** Values that none of our keys opens. */
  unopened: Pick<SealedValue, 'endpointId' | 'column'>[];
  /** The start of the next batch; null at the end. */
  lastId: string | null;
};

/** Seals one batch of values anew that another key than the first sealed. */
export async function resealBatch(
  pool: pg.Pool,
  sealer: Sealer,
  after: string | null,
): Promise<ResealedBatch> {
  const values = await findForeign(pool, sealer.keyId, after);
  const unopened: ResealedBatch['unopened'] = [];
  let resealed = 0;
  for (const value of values) {
    const anew = sealAnew(sealer, value);
    if (anew === null) unopened.push({ endpointId: value.endpointId, column: value.column });
    else resealed += await replaceValue(pool, value, anew);
  }
  return { resealed, unopened, lastId: values.at(-1)?.endpointId ?? null };
}

/** The number of values that each key sealed, by the key's id. */
export async function countSealedByKey(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ keyId: string; n: number }>(
    `select split_part(sealed, ':', 1) as "keyId", count(*)::int as n
     from webhook_endpoint, unnest(array[${SEALED_COLUMNS.join(', ')}]) sealed
     where sealed is not null group by 1 order by 1`,
  );
  return new Map(rows.map(({ keyId, n }) => [keyId, n]));
}

async function findForeign(
  pool: pg.Pool,
  keyId: string,
  after: string | null,
): Promise<SealedValue[]> {
  const isForeign = SEALED_COLUMNS.map((column) => `split_part(${column}, ':', 1) <> $1`);
  const { rows } = await pool.query<{ id: string } & Record<SealedValue['column'], string | null>>(
    `select id, ${SEALED_COLUMNS.join(', ')} from webhook_endpoint
     where ($2::uuid is null or id > $2) and (${isForeign.join(' or ')})
     order by id limit ${BATCH}`,
    [keyId, after],
  );
  return rows.flatMap((row) =>
    SEALED_COLUMNS.flatMap((column) => {
      const sealed = row[column];
      const isOurs = sealed === null || sealed.startsWith(`${keyId}:`);
      return isOurs ? [] : [{ endpointId: row.id, column, sealed }];
    }),
  );
}

function sealAnew(sealer: Sealer, { endpointId, sealed }: SealedValue): string | null {
  try {
    const secret = openEndpointSecret(sealer, endpointId, sealed);
    return sealEndpointSecret(sealer, endpointId, secret);
  } catch {
    return null;
  }
}

/** Zero when the value was rotated in the meantime. */
async function replaceValue(
  pool: pg.Pool,
  { endpointId, column, sealed }: SealedValue,
  anew: string,
): Promise<number> {
  const { rowCount } = await pool.query(
    `update webhook_endpoint set ${column} = $3 where id = $1 and ${column} = $2`,
    [endpointId, sealed, anew],
  );
  return rowCount ?? 0;
}
