import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Database } from '../../../platform/database/database.ts';
import { releaseAfterEach } from '../../../platform/start-memory.ts';
import { createSha256 } from '../../shared/sha256.ts';
import { readPeriodId } from '../period/pool-month.ts';
import type { Pseudonyms } from '../period/period-key.ts';
import type { Signed } from '../snapshot/canonical.ts';
import type { SnapshotHeader } from '../snapshot/snapshot-header.ts';
import { createSnapshotWriter } from '../snapshot/snapshot-writer.ts';
import type { ProductDays } from '../split/pool-rule.ts';
import {
  listCorrectedTerms,
  readCorrections,
  readKeptMembers,
} from './snapshot-rows.repository.ts';
import { whileOpen, type PeriodRow } from './open-period.repository.ts';
import { toParts, writePart } from './pool-file.repository.ts';

const RELEASED_AFTER_BYTES = 2 ** 24;

type Written = { period: PeriodRow; pseudonyms: Pseudonyms; openKey: OpenKey };

/** The ids of an earlier period. */
export type OpenKey = (period: { id: string; encryptedKey: string }) => Pseudonyms;

/** Writes the snapshot from what is kept of the period; it holds one page in memory. */
export async function writeSnapshotFile(database: Database, written: Written): Promise<Signed> {
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
