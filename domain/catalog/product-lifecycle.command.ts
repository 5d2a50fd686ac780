import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit } from '../audit/audit.repository.ts';
import { rateProduct } from '../product-figures/popularity.repository.ts';
import { closeSeal } from '../seal/seal.repository.ts';
import { isRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { isComplete } from './listing-requirements.ts';
import { loadRequired } from './listing.repository.ts';
import { removePictures } from './pictures/picture.command.ts';
import { hasSoldPrice } from './prices/price-list.repository.ts';
import {
  refuseLifecycleChange,
  type LifecycleChange,
  type LifecycleState,
} from './product-lifecycle.ts';
import { lockProduct, setListed, setRemoved, setUnlisted } from './product-lifecycle.repository.ts';
import { decideProductRights, type RightsRefusal } from '../teams/suspension.ts';
import { holdManagedProduct, type ActingManager } from './product.repository.ts';
import { indexProducts } from './search/index-products.repository.ts';

const CHANGES = {
  list: { needed: 'list', action: 'product.listed' },
  unlist: { needed: 'list', action: 'product.unlisted' },
  remove: { needed: 'remove_product', action: 'product.removed' },
} as const;

type Input = {
  productId: string;
  change: LifecycleChange;
  by: ActingManager;
  /** The person acts as an operator, whatever roles the person has in the product's team. */
  isForPlatform?: boolean;
};

/**
 * Lists, unlists or removes a product. Existing access stays after unlisting. Unlisting and removing
 * end the quality seal.
 */
export async function changeProductState(
  em: EntityManager,
  { productId, change, by, isForPlatform = false }: Input,
): Promise<
  | { before: LifecycleState['state'] }
  | Refusal<RightsRefusal | 'unchanged' | 'no_price' | 'not_described' | 'by_operator'>
> {
  return inTransaction(em, async (em) => {
    const { needed, action } = CHANGES[change];
    const held = await holdManagedProduct(em, { manager: by, productId });
    const managed = decideProductRights(held, needed);
    if (isRefusal(managed)) return managed;
    const product = await lockProduct(em, productId);
    if (!product) return refuse('unchanged');
    const isByOperator = isForPlatform || managed.roles.every((role) => role === 'operator');
    const refused = refuseLifecycleChange(change, product, {
      isByOperator,
      hasSoldPrice: change === 'list' && (await hasSoldPrice(em, productId)),
      isDescribed: change === 'list' && isComplete(await loadRequired(em, productId)),
    });
    if (refused) return refused;
    const { state: before } = product;
    if (change === 'list') await setListed(em, productId);
    if (change === 'unlist') await setUnlisted(em, { productId, isByOperator });
    if (change === 'remove') await setRemoved(em, { productId, isDraft: before === 'draft' });
    if (change === 'remove') await removePictures(em, productId);
    if (change === 'unlist') await closeSeal(em, { productId, reason: 'unlisted' });
    if (change === 'remove') await closeSeal(em, { productId, reason: 'removed' });
    await indexProducts(em, [productId]);
    if (change === 'list') await rateProduct(em, productId);
    const entry = { by, productId, teamId: managed.ownerTeamId, detail: { from: before } };
    await recordAudit(em, { ...entry, action, subject: productId });
    return { before };
  });
}
