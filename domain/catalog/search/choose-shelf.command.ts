import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { recordAudit, type Actor } from '../../audit/audit.repository.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';
import { findListedBySlug, LONGEST_SHELF, setChosenShelf } from './chosen-shelf.repository.ts';

type Choice = { place: number; title: string; slugs: readonly string[]; by: Actor };

/**
 * Fills a shelf of the store as an operator; the later of two changes stands. Nothing changes where
 * slugs are `missing`: no listed product has them.
 */
export async function chooseShelf(
  em: EntityManager,
  { place, title, slugs, by }: Choice,
): Promise<{ missing: string[] } | Refusal<'too_many'>> {
  const distinct = [...new Set(slugs)];
  if (distinct.length > LONGEST_SHELF) return refuse('too_many');
  return inTransaction(em, async (em) => {
    const listed = await findListedBySlug(em, distinct);
    const missing = distinct.filter((slug) => !listed.has(slug));
    if (missing.length > 0) return { missing };
    await setChosenShelf(em, {
      place,
      title,
      productIds: distinct.map((slug) => listed.get(slug)!),
    });
    const detail = { title, products: distinct };
    await recordAudit(em, { by, action: 'shelf.chosen', subject: `shelf ${place}`, detail });
    return { missing };
  });
}
