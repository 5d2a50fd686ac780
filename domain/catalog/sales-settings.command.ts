import { inTransaction, type EntityManager } from '../../platform/database/database.ts';
import { recordAudit } from '../audit/audit.repository.ts';
import { isRefusal, refuse, type Refusal } from '../shared/refusal.ts';
import { answerForSales, stopAnswering } from './commercial-operator.repository.ts';
import { switchIncluded } from './product-lifecycle.repository.ts';
import { decideProductRights, type RightsRefusal } from '../teams/suspension.ts';
import { holdManagedProduct, type ActingManager } from './product.repository.ts';
import { indexProducts } from './search/index-products.repository.ts';

type Settings = { productId: string; by: ActingManager };

/** Includes a product with Member, or takes it out. */
export async function includeWithMember(
  em: EntityManager,
  { productId, isIncluded, by }: Settings & { isIncluded: boolean },
): Promise<{ isIncluded: boolean } | Refusal<RightsRefusal | 'unchanged'>> {
  return inTransaction(em, async (em) => {
    const held = await holdManagedProduct(em, { manager: by, productId });
    const product = decideProductRights(held, 'price');
    if (isRefusal(product)) return product;
    const switched = await switchIncluded(em, { productId, isIncluded });
    if (isRefusal(switched)) return switched;
    await indexProducts(em, [productId]);
    const action = isIncluded ? 'product.included' : 'product.excluded';
    const entry = { by, productId, teamId: product.ownerTeamId, subject: productId };
    await recordAudit(em, { ...entry, action });
    return switched;
  });
}

/**
 * Makes a person the seller of record, or ends it. Refuses a person who is it already or may not be
 * it, and an end after another person has become it.
 */
export async function changeCommercialOperator(
  em: EntityManager,
  { productId, personId, isSet, by }: Settings & { personId: string; isSet: boolean },
): Promise<{ changed: true } | Refusal<RightsRefusal | 'unchanged'>> {
  return inTransaction(em, async (em) => {
    const held = await holdManagedProduct(em, { manager: by, productId });
    const product = decideProductRights(held, 'answer_for_sales');
    if (isRefusal(product)) return product;
    const change = isSet ? answerForSales : stopAnswering;
    if (!(await change(em, { productId, personId }))) return refuse('unchanged');
    const action = isSet ? 'product.operator_set' : 'product.operator_unset';
    const entry = { by, productId, teamId: product.ownerTeamId, subject: personId };
    await recordAudit(em, { ...entry, action });
    return { changed: true };
  });
}
