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
    .$castTo<SaleMoment>()
    .execute();
}

const named = (what: SaleMoment['what']) => sql<string>`${sql.lit(what)}`.as('what');

const charges = (em: EntityManager, purchaseId: string) =>
  kysely(em)
    .selectFrom('payment')
    .select([named('charge'), sql<Date | null>`created_at`.as('at')])
    .select([sql<number | null>`gross_minor`.as('amountMinor')])
    .select([sql<string | null>`currency`.as('currency'), sql<string | null>`status`.as('status')])
    .where('payment.purchaseId', '=', purchaseId);

const disputes = (em: EntityManager, purchaseId: string, what: 'dispute' | 'settled') =>
  kysely(em)
    .selectFrom('dispute')
    .innerJoin('payment', 'payment.id', 'dispute.paymentId')
    .select(({ ref }) => [
      named(what),
      sql<Date | null>`${ref(what === 'dispute' ? 'dispute.createdAt' : 'dispute.settledAt')}`.as(
        'at',
      ),
      sql<number | null>`${ref('dispute.amountMinor')}`.as('amountMinor'),
      sql<string | null>`${ref('dispute.currency')}`.as('currency'),
      sql<string | null>`${ref('dispute.status')}`.as('status'),
    ])
    .where('payment.purchaseId', '=', purchaseId);

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
    .select(({ ref }) => [
      named(what),
      sql<Date | null>`${ref(what === 'access' ? 'startsAt' : 'withdrawnAt')}`.as('at'),
      sql<number | null>`null::bigint`.as('amountMinor'),
      sql<string | null>`null`.as('currency'),
      sql<string | null>`null`.as('status'),
    ])
    .where('purchase.productId', '=', key.productId)
    .where('purchase.id', '=', key.purchaseId);
