import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { raiseAlert, withdrawAlerts } from '../../alerts/alert.repository.ts';
import {
  LOCK,
  now,
  type Database,
  type EntityManager,
} from '../../../platform/database/database.ts';
import { releaseAfterEach } from '../../../platform/start-memory.ts';
import { kysely } from '../../kysely.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { createSha256, sha256Hex } from '../../shared/sha256.ts';
import { PoolPeriod } from '../period/pool-period.entity.ts';
import { SnapshotError } from '../snapshot/snapshot-reader.ts';
import { PoolUnbalanced, type PoolSums } from '../statement/balance.ts';
import { computeStatement } from '../statement/compute.ts';
import { writeStatement } from '../statement/statement-file.ts';
import type { Statement } from '../statement/pool-statement.ts';
import { readPoolFile, toParts, writePart } from './pool-file.repository.ts';
import { insertLines, toLines, type NewLine } from './lines.repository.ts';

export type Computed = { status: 'computed' } | { status: 'frozen'; problem: string };

const HASHING = { sha256: sha256Hex, createHash: createSha256 };
const TEXT_BYTES = 262_144;
const RELEASED_AFTER_BYTES = 2 ** 24;
const compress = promisify(gzip);

/**
 * Computes a frozen month from its stored snapshot. A snapshot that is damaged or does not balance
 * stops the month with an alert.
 */
export async function computePool(
  database: Database,
  { periodId, encryptor }: { periodId: string; encryptor: Encryptor },
): Promise<Computed> {
  const period = await database.em().findOneOrFail(PoolPeriod, { id: periodId });
  if (period.status === 'open') throw new Error(`${periodId} is not frozen`);
  if (period.status !== 'frozen') return { status: 'computed' };
  try {
    const statement = await computeStored(database, period);
    const lines = await toLines(database.em(), { period, statement, encryptor });
    const { text, sha256 } = writeStatement(statement, createSha256);
    const bytes = await compress(text);
    const kept = { periodId, statement, sha256, lines, bytes };
    await database.transaction((em) => keepComputed(em, kept));
    return { status: 'computed' };
  } catch (error) {
    if (!isOfSnapshot(error)) throw error;
    const problem = error.message;
    await database.transaction((em) => stopPeriod(em, { periodId, problem }));
    return { status: 'frozen', problem };
  }
}

async function computeStored(
  database: Database,
  { id: periodId, snapshotSha256 }: { id: string; snapshotSha256: string | null },
): Promise<Statement> {
  const stored = Readable.from(readPoolFile(database.em(), { periodId, file: 'snapshot' }));
  const text = releaseAfterEach(RELEASED_AFTER_BYTES, unpack(stored));
  const statement = await computeStatement(text, HASHING);
  if (statement.snapshotSha256 === snapshotSha256) return statement;
  throw new SnapshotError(
    `the stored snapshot has the hash ${statement.snapshotSha256}, the period ${snapshotSha256}`,
  );
}

async function* unpack(stored: Readable): AsyncGenerator<string> {
  const plain = createGunzip({ chunkSize: TEXT_BYTES });
  stored.on('error', (error) => plain.destroy(error));
  for await (const part of stored.pipe(plain)) yield (part as Buffer).toString('latin1');
}

/**
 * True when the snapshot's content or its compression is at fault; a fault of the database is tried
 * again.
 */
function isOfSnapshot(error: unknown): error is Error {
  if (error instanceof SnapshotError || error instanceof PoolUnbalanced) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

type ComputedFiles = {
  periodId: string;
  statement: Statement;
  sha256: string;
  lines: NewLine[];
  /** The content of the statement's file. */
  bytes: Buffer;
};

async function keepComputed(
  em: EntityManager,
  { periodId, statement, sha256, lines, bytes }: ComputedFiles,
): Promise<void> {
  const period = await em.findOneOrFail(PoolPeriod, { id: periodId }, LOCK);
  if (period.status !== 'frozen') return;
  let number = 0;
  for await (const part of toParts([bytes])) {
    await writePart(em, { periodId, file: 'statement', number, bytes: part });
    number += 1;
  }
  await insertLines(em, lines);
  Object.assign(period, {
    status: 'computed',
    computedAt: await now(em),
    statementSha256: sha256,
    ...addSums(statement),
    members: statement.members,
    membersWithoutDays: statement.membersWithoutDays,
    problem: null,
  });
  await withdrawAlerts(em, { kinds: ['pool_stopped'], subject: periodId });
}

/** What the period moves: the month's sums with those of its corrections. */
function addSums({ sums, corrections }: Statement): Record<keyof PoolSums, number> {
  const all = [sums, ...corrections.map((corrected) => corrected.sums)];
  const total = (key: keyof PoolSums) => Number(all.reduce((sum, each) => sum + each[key], 0n));
  return {
    feesMinor: total('feesMinor'),
    platformMinor: total('platformMinor'),
    productsMinor: total('productsMinor'),
    unattributedMinor: total('unattributedMinor'),
  };
}

/** The period stays where it is until somebody has looked. */
async function stopPeriod(
  em: EntityManager,
  { periodId, problem }: { periodId: string; problem: string },
): Promise<void> {
  await kysely(em)
    .updateTable('poolPeriod')
    .set({ problem })
    .where('id', '=', periodId)
    .where('status', '=', 'frozen')
    .execute();
  await raiseAlert(em, { kind: 'pool_stopped', subject: periodId, detail: { problem } });
}
