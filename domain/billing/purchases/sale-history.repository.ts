import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';

/** A change of a purchase that its seller reads of; access has no amount. */
export type SaleMoment = {
  what: 'charge' | 'dispute' | 'settled' | 'access' | 'withdrawn';
  at: Date;
  amountMinor: number | null;
  currency: string | null;
  status: string | null;
};

const MOST_SHOWN = 100;

/** Lists charges, disputes and access of a purchase, the newest first. */
export async function listSaleMoments(
  em: EntityManager,
  { productId, purchaseId }: { productId: string; purchaseId: string },
): Promise<SaleMoment[]> {
  return charges(em, purchaseId)
    .unionAll(disputes(em, purchaseId, 'dispute'))
    .unionAll(disputes(em, purchaseId, 'settled').where('dispute.settledAt', 'is not', null))
    .unionAll(access(em, { productId, purchaseId }, 'access'))
    .unionAll(
      access(em, { productId, purchaseId }, 'withdrawn').where('withdrawnAt', 'is not', null),
    )
    .orderBy('at', 'desc')
    .limit(MOST_SHOWN)
    .execute();
}

const named = (what: SaleMoment['what']) => sql.lit(what).as('what');

const charges = (em: EntityManager, purchaseId: string) =>
  kysely(em)
    .selectFrom('payment')
    .select([named('charge'), 'createdAt as at', 'grossMinor as amountMinor', 'currency', 'status'])
    .where('payment.purchaseId', '=', purchaseId)
    .$castTo<SaleMoment>();

const disputes = (em: EntityManager, purchaseId: string, what: 'dispute' | 'settled') =>
  kysely(em)
    .selectFrom('dispute')
    .innerJoin('payment', 'payment.id', 'dispute.paymentId')
    .select([named(what), `dispute.${what === 'dispute' ? 'createdAt' : 'settledAt'} as at`])
    .select(['dispute.amountMinor', 'dispute.currency', 'dispute.status'])
    .where('payment.purchaseId', '=', purchaseId)
    .$castTo<SaleMoment>();

type OfProduct = { productId: string; purchaseId: string };

const access = (em: EntityManager, key: OfProduct, what: 'access' | 'withdrawn') =>
  kysely(em)
    .selectFrom('purchase')
    .innerJoin('accessGrant', (join) =>
      join
        .onRef('accessGrant.productId', '=', 'purchase.productId')
        .onRef('accessGrant.personId', '=', 'purchase.personId')
        .onRef('accessGrant.source', '=', 'purchase.id'),
    )
    .select([named(what), what === 'access' ? 'startsAt as at' : 'withdrawnAt as at'])
    .select(({ cast, lit }) => [
      cast(lit(null), 'bigint').as('amountMinor'),
      lit(null).as('currency'),
      lit(null).as('status'),
    ])
    .where('purchase.productId', '=', key.productId)
    .where('purchase.id', '=', key.purchaseId)
    .$castTo<SaleMoment>();
