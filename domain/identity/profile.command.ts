import {
  inTransaction,
  isDuplicate,
  type EntityManager,
} from '../../platform/database/database.ts';
import { lockProductsOf } from '../catalog/product-lifecycle.repository.ts';
import { indexProducts } from '../catalog/search/index-products.repository.ts';
import { refuse, type Refusal } from '../shared/refusal.ts';
import { changeNames } from './account.repository.ts';
import { removePersonImage, setPersonImage } from './pictures/person-image.repository.ts';

/** Changes the handle and the display name. */
export async function changeProfile(
  em: EntityManager,
  profile: { personId: string; handle: string; displayName: string },
): Promise<{ changed: true } | Refusal<'handle_taken'>> {
  try {
    const isChanged = await inTransaction(em, async (em) => {
      if (!(await changeNames(em, profile))) return false;
      await indexProducts(em, await lockProductsOf(em, profile));
      return true;
    });
    return isChanged ? { changed: true } : refuse('handle_taken');
  } catch (error) {
    if (isDuplicate(error)) return refuse('handle_taken'); // taken at the same moment
    throw error;
  }
}

/** Sets the picture of a person; null brings the drawn one back. */
export async function changePicture(
  em: EntityManager,
  { personId, bytes }: { personId: string; bytes: Buffer | null },
): Promise<void> {
  return inTransaction(em, async (em) => {
    if (bytes === null) await removePersonImage(em, personId);
    else await setPersonImage(em, { personId, bytes });
  });
}
