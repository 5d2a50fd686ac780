import {
  LOCK,
  now,
  type Database,
  type EntityManager,
} from '../../../platform/database/database.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { openPoolKey } from '../period/period-key.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import type { Signed } from '../snapshot/canonical.ts';
import { keepCorrections } from './corrections.repository.ts';
import { keepMembers } from './snapshot-rows.repository.ts';
import {
  beginFreeze,
  closeInput,
  removePreview,
  isInputClosed,
  NotOpen,
  type PeriodRow,
} from './open-period.repository.ts';
import { writeSnapshotFile } from './snapshot-file.repository.ts';

export type Frozen = { status: 'frozen' | 'empty' };

type FreezeInput = { periodId: string; encryptor: Encryptor };

/**
 * Freezes a month: keeps its Members, what it corrects of earlier months, and writes the snapshot.
 * It may be cut at any place and repeated: what is kept stays, and the snapshot has the same bytes.
 */
export async function freezePool(
  database: Database,
  { periodId, encryptor }: FreezeInput,
): Promise<Frozen> {
  const begun = await database.transaction((em) => beginFreeze(em, periodId));
  if (begun.status !== 'open') return present(begun);
  const openKey = (period: { id: string; encryptedKey: string }) => openPoolKey(encryptor, period);
  const pseudonyms = openKey({ id: periodId, encryptedKey: keyOf(begun) });
  try {
    if (!(await isInputClosed(database.em(), periodId))) {
      await keepMembers(database, { periodId, pseudonyms });
      await keepCorrections(database, { period: begun, openKey });
    }
    const period = await database.transaction((em) => closeInput(em, periodId));
    if (period.status !== 'open') return present(period);
    const signed = await writeSnapshotFile(database, { period, pseudonyms, openKey });
    return present(await database.transaction((em) => keepFrozen(em, { periodId, signed })));
  } catch (error) {
    if (!(error instanceof NotOpen)) throw error;
    return freezePool(database, { periodId, encryptor }); // another call was faster
  }
}

async function keepFrozen(
  em: EntityManager,
  { periodId, signed }: { periodId: string; signed: Signed },
): Promise<PeriodRow> {
  const period = await em.findOneOrFail(PoolPeriod, { id: periodId }, LOCK);
  if (period.status !== 'open') return period;
  Object.assign(period, {
    status: 'frozen',
    frozenAt: await now(em),
    snapshotSha256: signed.sha256,
  });
  await removePreview(em, periodId);
  return period;
}

function present({ status }: PeriodRow): Frozen {
  return { status: status === 'empty' ? 'empty' : 'frozen' };
}

function keyOf({ id, encryptedKey }: PeriodRow): string {
  if (encryptedKey === null) throw new Error(`the key of ${id} is erased`);
  return encryptedKey;
}
