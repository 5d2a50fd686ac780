import {
  LOCK,
  now,
  type Database,
  type EntityManager,
} from '../../../platform/database/database.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { openPoolKey, type OpenKey, type Pseudonyms } from '../period/period-key.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import type { Signed } from '../snapshot/canonical.ts';
import { keepCorrections } from './corrections.repository.ts';
import {
  keepMembers,
  listCorrectedTerms,
  readCorrections,
  readKeptMembers,
} from './snapshot-rows.repository.ts';
import {
  beginFreeze,
  closeInput,
  removePreview,
  isInputClosed,
  NotOpen,
  type PeriodRow,
  whileOpen,
} from './open-period.repository.ts';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { releaseAfterEach } from '../../../platform/start-memory.ts';
import { createSha256 } from '../../shared/sha256.ts';
import { readPeriodId } from '../period/pool-month.ts';
import type { SnapshotHeader } from '../snapshot/snapshot-header.ts';
import { createSnapshotWriter } from '../snapshot/snapshot-writer.ts';
import type { ProductDays } from '../split/pool-rule.ts';
import { toParts, writePart } from './pool-file.repository.ts';

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

const RELEASED_AFTER_BYTES = 2 ** 24;

type Written = { period: PeriodRow; pseudonyms: Pseudonyms; openKey: OpenKey };

/** Writes the snapshot from what is kept of the period; it holds one page in memory. */
async function writeSnapshotFile(database: Database, written: Written): Promise<Signed> {
  const { id: periodId } = written.period;
  let signed: Signed | null = null;
  const lines = writeLines(database, { ...written, sign: (end) => (signed = end) });
  const text = releaseAfterEach(RELEASED_AFTER_BYTES, lines);
  await pipeline(Readable.from(text), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
    let number = 0;
    for await (const bytes of toParts(compressed)) {
      const part = { periodId, file: 'snapshot', number, bytes } as const;
      await whileOpen(database, { periodId, work: (em) => writePart(em, part) });
      number += 1;
    }
  });
  return signed!;
}

async function* writeLines(
  database: Database,
  { period, pseudonyms, openKey, sign }: Written & { sign: (signed: Signed) => void },
): AsyncGenerator<Buffer> {
  const em = database.em();
  const corrected = await listCorrectedTerms(em, period.id);
  const header: SnapshotHeader = {
    period: readPeriodId(period.id).month,
    currency: period.currency,
    rule: period.rule,
    poolShareBps: period.poolShareBps!,
    correctedPeriods: corrected.map(({ terms }) => terms),
  };
  const writer = createSnapshotWriter(header, createSha256);
  yield toBytes([writer.begin()]);
  for (const each of corrected) {
    const change = { periodId: period.id, corrected: each, pseudonyms: openKey(each) };
    for await (const page of readCorrections(em, change))
      yield toBytes(page.map(writer.correction));
  }
  const ofProduct = remember(pseudonyms.ofProduct);
  for await (const page of readKeptMembers(em, period.id)) {
    yield toBytes(
      page.map(({ member, netMinor, productIds, days }) =>
        writer.member({
          member: member.toString('hex'),
          netMinor,
          products: productIds.map((id, place): ProductDays => ({
            product: ofProduct(id),
            days: days[place]!,
          })),
        }),
      ),
    );
  }
  const { text: last, ...signed } = writer.end();
  sign(signed);
  yield toBytes([last]);
}

const toBytes = (lines: string[]) => Buffer.from(lines.join(''), 'latin1');

/** Few products stand in the lines of many Members. */
function remember(idOf: (id: string) => string): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const found = known.get(id) ?? idOf(id);
    known.set(id, found);
    return found;
  };
}
