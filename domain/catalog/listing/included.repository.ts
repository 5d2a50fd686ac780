import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { refuse, type Refusal } from '../../shared/refusal.ts';

type Switch = { productId: string; isIncluded: boolean };

/**
 * Every member may use an Included product from the commit on. Of two clicks one changes the
 * product; a product that was removed meanwhile stays excluded. A background job notifies the
 * activated members.
 */
export async function switchIncluded(
  em: EntityManager,
  { productId, isIncluded }: Switch,
): Promise<{ isIncluded: boolean } | Refusal<'unchanged'>> {
  const switched = await rows(
    em,
    `update product set included_with_member = ?
     where id = ? and included_with_member <> ? and state <> 'removed'
       and delivery = 'entitlement_api' returning 1`,
    [isIncluded, productId, isIncluded],
  );
  return switched.length === 1 ? { isIncluded } : refuse('unchanged');
}
