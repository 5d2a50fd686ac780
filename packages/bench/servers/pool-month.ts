// Freezes and computes a month of the pool, as an activity of the worker does.
import { ENTITIES } from '../../../domain/entities.ts';
import { computePool } from '../../../domain/pool/month-close/compute-month.repository.ts';
import { freezePool } from '../../../domain/pool/month-close/freeze.repository.ts';
import { newEncryptedPoolKey } from '../../../domain/pool/period/period-key.ts';
import { createEncryptor } from '../../../domain/shared/secrets.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { answerQuestions, readOrder } from './parts/child-server.ts';

const { databaseUrl: url } = await readOrder();
const database = openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
const encryptor = createEncryptor([{ id: 'k1', key: Buffer.alloc(32, 1) }]);

export type Run = Awaited<ReturnType<typeof run>>;

answerQuestions(run);

/** The month as a new one, after one that is frozen: its changes are asked for. */
async function prepare(periodId: string): Promise<void> {
  const [month, currency] = periodId.split(':');
  await database.pool.query(
    `truncate pool_line, pool_correction, pool_file_part, pool_member, pool_period cascade`,
  );
  await database.pool.query(
    `insert into pool_period (id, month, currency, rule, encrypted_key, freeze_due_at, status,
       freeze_began_at, pool_share_bps)
     select to_char(first - back, 'YYYY-MM') || ':' || $2, first - back, $2, 'user-centric-1', encrypted_key,
       now(), status, began_at, bps
     from (select ($1 || '-01')::date as first) month
     cross join (values (interval '0', 'open', null, $3, null), (interval '1 month', 'empty',
       now() - interval '70 days', null, 7000)) row (back, status, began_at, encrypted_key, bps)`,
    [month, currency, newEncryptedPoolKey(encryptor, periodId)],
  );
}

async function run({ periodId }: { periodId: string }) {
  await prepare(periodId);
  const startedAt = performance.now();
  const secondsSince = () => (performance.now() - startedAt) / 1_000;
  const frozen = await freezePool(database, { periodId, encryptor });
  const freezeS = secondsSince();
  const computed = await computePool(database, { periodId, encryptor });
  return { ...frozen, ...computed, freezeS, seconds: secondsSince() };
}
