import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';

export type DisputeLine = DisputePage['lines'][number];

/** `next` is the id of the last dispute shown when older ones follow. */
export type DisputePage = Awaited<ReturnType<typeof listDisputes>>;

const PAGE = 50;

/** Lists the disputes of a product, the newest first. */
export async function listDisputes(
  em: EntityManager,
  { productId, before }: { productId: string; before: string | null },
) {
  const found = await kysely(em)
    .selectFrom('dispute')
    .innerJoin('payment', 'payment.id', 'dispute.paymentId')
    .innerJoin('purchase', 'purchase.id', 'payment.purchaseId')
    .innerJoin('person as buyer', 'buyer.id', 'purchase.personId')
    .select([
      'dispute.id',
      'purchase.id as purchaseId',
      'buyer.handle',
      'dispute.amountMinor',
      'dispute.currency',
    ])
    .select(['dispute.reason', 'dispute.status', 'dispute.createdAt', 'dispute.settledAt'])
    .select(['dispute.processorId', 'dispute.dueAt'])
    .where('purchase.productId', '=', productId)
    .$if(before !== null, (disputes) => disputes.where('dispute.id', '<', before!))
    .orderBy('dispute.id', 'desc')
    .limit(PAGE + 1)
    .execute();
  return toPage(found, PAGE, ({ id }) => id);
}

/** The disputes that the bank has yet to decide; of these products, or of all for null. */
export async function countOpenDisputes(em: EntityManager, productIds: readonly string[] | null) {
  return kysely(em)
    .selectFrom('dispute')
    .innerJoin('payment', 'payment.id', 'dispute.paymentId')
    .innerJoin('purchase', 'purchase.id', 'payment.purchaseId')
    .select(({ fn }) => [
      'purchase.productId',
      fn.countAll<number>().as('count'),
      fn.min('dispute.dueAt').as('dueAt'),
    ])
    .where('dispute.status', 'in', ['warning', 'open'])
    .$if(productIds !== null, (rows) => rows.where('purchase.productId', '=', anyOf(productIds!)))
    .groupBy('purchase.productId')
    .execute();
}
