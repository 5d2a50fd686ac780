import { expressionBuilder } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, asJson, NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import type { ImportFindings } from './import-findings.ts';
import { BEFORE, type ImportKind, type ImportRefusal, type ImportState } from './import-state.ts';
import type { TakenPicture } from './taken-pictures.ts';

type NewImport = { id: string; productId: string; kind: ImportKind; address: string };

export async function insertImport(em: EntityManager, row: NewImport): Promise<void> {
  await kysely(em)
    .insertInto('listingImport')
    .values({ ...row, state: 'queued', waits: 0 })
    .execute();
}

/** Imports of the last hour; the caller holds the lock of the product. */
export async function countRecentImports(em: EntityManager, productId: string): Promise<number> {
  const { n } = await kysely(em)
    .selectFrom('listingImport')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('productId', '=', productId)
    .where('createdAt', '>', ago('1 hour'))
    .executeTakeFirstOrThrow();
  return n;
}

const imports = (em: EntityManager) =>
  kysely(em)
    .selectFrom('listingImport as import')
    .innerJoin('product', 'product.id', 'import.productId')
    .leftJoin('person', 'person.id', 'import.appliedBy')
    .select(['import.id', 'import.productId', 'import.kind', 'import.address', 'import.state'])
    .select(['import.waitUntil', 'import.waits', 'import.refusal', 'import.findings'])
    .select(['import.appliedBy', 'import.pictures', 'import.createdAt', 'import.changedAt'])
    .select(({ fn, lit }) => [
      'product.ownerTeamId as teamId',
      fn.coalesce('person.isOperator', lit(false)).as('isAppliedByOperator'),
    ])
    .where('product.state', '<>', 'removed')
    .$narrowType<{ findings: ImportFindings | null; pictures: TakenPicture[] | null }>();

/** The import of a product that is not removed. */
export async function findImport(em: EntityManager, id: string) {
  const found = await imports(em).where('import.id', '=', id).executeTakeFirst();
  return found ?? null;
}

export type ListingImportView = NonNullable<Awaited<ReturnType<typeof findImport>>>;

/** The import that a transaction changes; the caller holds the product. */
export async function lockImport(em: EntityManager, id: string) {
  const found = await imports(em)
    .where('import.id', '=', id)
    .forUpdate('import')
    .executeTakeFirst();
  return found ?? null;
}

const MOST_SHOWN = 20;

/** Imports of a product, the latest first. */
export async function listImports(em: EntityManager, productId: string) {
  return kysely(em)
    .selectFrom('listingImport')
    .select(['id', 'kind', 'address', 'state', 'createdAt'])
    .where('productId', '=', productId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_SHOWN)
    .execute();
}

export type Move =
  | { to: 'fetching' | 'applied' }
  | { to: 'waiting'; until: Date }
  | { to: 'refused'; refusal: ImportRefusal }
  | { to: 'ready'; findings: ImportFindings }
  | { to: 'applying'; pictures: TakenPicture[]; appliedBy: string };

/** Moves an import to its next state. False when it is in none that leads there, or waits still. */
export async function moveImport(em: EntityManager, id: string, move: Move): Promise<boolean> {
  const { numUpdatedRows } = await kysely(em)
    .updateTable('listingImport')
    .set({
      state: move.to,
      changedAt: NOW,
      waitUntil: null,
      refusal: null,
      ...toColumns(move),
    })
    .where('id', '=', id)
    .where('state', 'in', [...BEFORE[move.to]])
    .$if(move.to === 'fetching', (update) =>
      update.where(({ eb, or }) => or([eb('waitUntil', 'is', null), eb('waitUntil', '<=', NOW)])),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The columns that a move fills or empties beside the state. */
function toColumns(move: Move) {
  const { eb } = expressionBuilder<Tables, 'listingImport'>();
  switch (move.to) {
    case 'waiting':
      return { waitUntil: move.until, waits: eb('waits', '+', 1) };
    case 'refused':
      return { refusal: move.refusal };
    case 'ready':
      return { findings: asJson(move.findings) };
    case 'applying':
      return { pictures: asJson(move.pictures), appliedBy: move.appliedBy };
    default:
      return {};
  }
}

/** Writes what became of taken pictures; the caller holds the import. */
export async function savePictureOutcomes(
  em: EntityManager,
  id: string,
  pictures: TakenPicture[],
): Promise<void> {
  await kysely(em)
    .updateTable('listingImport')
    .set({ pictures: asJson(pictures), changedAt: NOW })
    .where('id', '=', id)
    .execute();
}

const BATCH = 500;

/**
 * Expires findings that nobody took for 30 days, and removes imports that ended 60 days ago; true
 * when more wait.
 */
export async function removeOldImports(em: EntityManager): Promise<boolean> {
  const select = (states: ImportState[], span: string) =>
    kysely(em)
      .selectFrom('listingImport')
      .select('id')
      .where('state', 'in', states)
      .where('changedAt', '<=', ago(span))
      .limit(BATCH);
  const { numUpdatedRows } = await kysely(em)
    .updateTable('listingImport')
    .set({ state: 'expired', findings: null, changedAt: NOW })
    .where('id', 'in', select(['ready'], '30 days'))
    .where('state', '=', 'ready')
    .executeTakeFirst();
  const { numDeletedRows } = await kysely(em)
    .deleteFrom('listingImport')
    .where('id', 'in', select(['refused', 'applied', 'expired'], '60 days'))
    .executeTakeFirst();
  return Number(numUpdatedRows) === BATCH || Number(numDeletedRows) === BATCH;
}
