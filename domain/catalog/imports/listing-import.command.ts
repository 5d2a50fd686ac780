import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { newUuid } from '../../shared/ids.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { lockProduct } from '../product-lifecycle.repository.ts';
import { MOST_IMPORTS_AN_HOUR, type ImportKind } from './import-state.ts';
import { countRecentImports, insertImport } from './listing-import.repository.ts';

type ImportRequest = {
  productId: string;
  teamId: string | null;
  by: Actor;
  kind: ImportKind;
  address: string;
};

/** Asks for an import. The lock of the product keeps two requests from being the tenth of an hour. */
export async function requestImport(
  em: EntityManager,
  { productId, teamId, by, kind, address }: ImportRequest,
): Promise<{ importId: string } | Refusal<'removed' | 'too_many'>> {
  return inTransaction(em, async (em) => {
    if (!(await lockProduct(em, productId))) return refuse('removed');
    const recent = await countRecentImports(em, productId);
    if (recent >= MOST_IMPORTS_AN_HOUR) return refuse('too_many');
    const importId = newUuid();
    await insertImport(em, { id: importId, productId, kind, address });
    const entry = { action: 'import.requested', subject: importId } as const;
    await recordAudit(em, { by, productId, teamId, ...entry, detail: { kind, address } });
    return { importId };
  });
}
