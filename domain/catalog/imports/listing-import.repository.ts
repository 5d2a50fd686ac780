import type { EntityManager } from '../../../platform/database/database.ts';
import { ago, asJson, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { BEFORE, type ImportKind, type ImportState } from './import-state.ts';

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

/** The import of a product that is not removed. */
export async function findImport(em: EntityManager, id: string) {
  const found = await kysely(em)
    .selectFrom('listingImport as import')
    .innerJoin('product', 'product.id', 'import.productId')
    .select(['import.id', 'import.productId', 'import.kind', 'import.address', 'import.state'])
    .select(['import.waitUntil', 'import.waits', 'import.refusal', 'import.findings'])
    .select('import.changedAt')
    .where('import.id', '=', id)
    .where('product.state', '<>', 'removed')
    .executeTakeFirst();
  return found ?? null;
}

type Move =
  | { to: Exclude<ImportState, 'queued' | 'waiting' | 'ready' | 'refused'> }
  | { to: 'waiting'; until: Date }
  | { to: 'refused'; refusal: string }
  | { to: 'ready'; findings: unknown };

/** Moves an import to its next state. False when it is in none that leads there. */
export async function moveImport(em: EntityManager, id: string, move: Move): Promise<boolean> {
  const { numUpdatedRows } = await kysely(em)
    .updateTable('listingImport')
    .set({
      state: move.to,
      changedAt: NOW,
      waitUntil: move.to === 'waiting' ? move.until : null,
      refusal: move.to === 'refused' ? move.refusal : null,
    })
    .$if(move.to === 'waiting', (update) =>
      update.set(({ eb }) => ({ waits: eb('waits', '+', 1) })),
    )
    .$if(move.to === 'expired', (update) => update.set({ findings: null }))
    .$if(move.to === 'ready', (update) =>
      update.set({ findings: asJson('findings' in move ? move.findings : null) }),
    )
    .where('id', '=', id)
    .where('state', 'in', [...BEFORE[move.to]])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
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
