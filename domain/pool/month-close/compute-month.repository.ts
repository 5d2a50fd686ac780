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
import { computeStatement } from '../statement/compute-statement.ts';
import { writeStatement } from '../statement/statement-file.ts';
import type { Statement, CorrectionLine } from '../statement/pool-statement.ts';
import { readPoolFile, toParts, writePart } from './pool-file.repository.ts';
import { asJson } from '../../../platform/database/expressions.ts';
import type { BandRow } from '../payout-lines/pool-line.entity.ts';
import { openPoolKey } from '../period/period-key.ts';
import type { Band } from '../statement/bands.ts';
import { listCorrectedTerms } from './snapshot-rows.repository.ts';

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
  await em.nativeUpdate(PoolPeriod, { id: periodId, status: 'frozen' }, { problem });
  await raiseAlert(em, { kind: 'pool_stopped', subject: periodId, detail: { problem } });
}

type Owner = { personId: string | null; teamId: string | null };

type NewLine = Owner & {
  periodId: string;
  currency: string;
  productId: string;
  month: string;
  amountMinor: number;
  members: number;
  qualifiedDays: number;
  bands: BandRow[];
};

type LinesInput = {
  period: { id: string; currency: string; month: string; encryptedKey: string | null };
  statement: Statement;
  encryptor: Encryptor;
};

async function toLines(em: EntityManager, given: LinesInput): Promise<NewLine[]> {
  const { id: periodId, currency, month, encryptedKey } = given.period;
  if (encryptedKey === null) throw new Error(`the key of ${periodId} is erased`);
  const { encryptor, statement } = given;
  const products = await listProducts(em);
  const shared = { periodId, currency };
  const idOf = indexBy(openPoolKey(encryptor, { id: periodId, encryptedKey }).ofProduct, products);
  const lines = statement.products.map(({ bands, ...line }): NewLine => {
    const productId = idOf(line.product);
    const owner = products.get(productId)!;
    return { ...shared, month, productId, ...owner, ...amountsOf(line), bands: bands.map(toRow) };
  });
  for (const corrected of await listCorrectedTerms(em, periodId)) {
    const found = statement.corrections.find(
      ({ terms }) => terms.period === corrected.terms.period,
    );
    const correctedIdOf = indexBy(openPoolKey(encryptor, corrected).ofProduct, products);
    const owners = await readOwners(em, corrected.id);
    for (const line of found?.lines ?? []) {
      const productId = correctedIdOf(line.product);
      const owner = owners.get(productId) ?? products.get(productId)!;
      const of = { month: `${corrected.terms.period}-01`, productId, bands: [] };
      lines.push({ ...shared, ...of, ...owner, ...amountsOf(line) });
    }
  }
  return lines;
}

/** Finds the product that a key gives an id. */
function indexBy(
  pseudonymOf: (productId: string) => string,
  products: ReadonlyMap<string, Owner>,
): (pseudonym: string) => string {
  const ids = new Map([...products.keys()].map((id) => [pseudonymOf(id), id]));
  return (pseudonym) => {
    const id = ids.get(pseudonym);
    if (id === undefined) throw new Error(`no product has the id ${pseudonym} in the snapshot`);
    return id;
  };
}

function amountsOf({ amountMinor, members, qualifiedDays }: CorrectionLine) {
  return { amountMinor: Number(amountMinor), members, qualifiedDays };
}

function toRow({ potsMinor, amountMinor, ...band }: Band): BandRow {
  return { ...band, potsMinor: String(potsMinor), amountMinor: String(amountMinor) };
}

const PAGE = 5_000;

/** All that were ever Included, with their owners of today. */
async function listProducts(em: EntityManager): Promise<Map<string, Owner>> {
  const products = new Map<string, Owner>();
  let after: string | null = '0';
  while (after !== null) {
    const page = await listSpans(em, after);
    for (const { productId, personId, teamId } of page)
      products.set(productId, { personId, teamId });
    after = page.length < PAGE ? null : page.at(-1)!.id;
  }
  return products;
}

function listSpans(em: EntityManager, after: string) {
  return kysely(em)
    .selectFrom('includedSpan')
    .innerJoin('product', 'product.id', 'includedSpan.productId')
    .select(['includedSpan.id', 'includedSpan.productId'])
    .select(['product.ownerPersonId as personId', 'product.ownerTeamId as teamId'])
    .where('includedSpan.id', '>', after)
    .orderBy('includedSpan.id')
    .limit(PAGE)
    .execute();
}

/** Reads the owners of the products when the month was computed. */
async function readOwners(em: EntityManager, periodId: string): Promise<Map<string, Owner>> {
  const lines = await kysely(em)
    .selectFrom('poolLine')
    .innerJoin('poolPeriod', 'poolPeriod.id', 'poolLine.periodId')
    .select(['poolLine.productId', 'poolLine.personId', 'poolLine.teamId'])
    .where('poolLine.periodId', '=', periodId)
    .whereRef('poolLine.month', '=', 'poolPeriod.month')
    .execute();
  return new Map(lines.map(({ productId, ...owner }) => [productId, owner]));
}

const INSERTED_AT_ONCE = 500;

async function insertLines(em: EntityManager, lines: readonly NewLine[]): Promise<void> {
  for (let start = 0; start < lines.length; start += INSERTED_AT_ONCE) {
    const some = lines.slice(start, start + INSERTED_AT_ONCE);
    await kysely(em)
      .insertInto('poolLine')
      .values(some.map(({ bands, ...line }) => ({ ...line, bands: asJson(bands) })))
      .execute();
  }
}
