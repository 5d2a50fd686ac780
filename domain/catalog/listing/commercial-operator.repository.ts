import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { mayAnswerForSales } from '../product.repository.ts';

type Sales = { productId: string; personId: string };

/**
 * False when the person is seller of record already, or may not be one: an owner or finance member
 * of the team, or the verified builder.
 */
export async function answerForSales(
  em: EntityManager,
  { productId, personId }: Sales,
): Promise<boolean> {
  const set = await rows(
    em,
    `update product p set commercial_operator_id = ?
     where p.id = ? and p.state <> 'removed' and p.commercial_operator_id is distinct from ?
       and ${mayAnswerForSales('?')} returning 1`,
    [personId, productId, personId, personId],
  );
  return set.length === 1;
}

/** False when another person is seller of record by now. */
export async function stopAnswering(
  em: EntityManager,
  { productId, personId }: Sales,
): Promise<boolean> {
  const unset = await rows(
    em,
    `update product set commercial_operator_id = null
     where id = ? and commercial_operator_id = ? and state <> 'removed' returning 1`,
    [productId, personId],
  );
  return unset.length === 1;
}

export type CommercialOperator = { personId: string; handle: string };

export async function findCommercialOperator(
  em: EntityManager,
  productId: string,
): Promise<CommercialOperator | null> {
  const [found] = await rows<CommercialOperator>(
    em,
    `select o.id as "personId", o.handle
     from product p join person o on o.id = p.commercial_operator_id where p.id = ?`,
    [productId],
  );
  return found ?? null;
}
