import { readAccess } from '../../../domain/entitlements/access.query.ts';
import {
  addGrant,
  lockAccess,
  storeAccess,
} from '../../../domain/entitlements/entitlement.repository.ts';
import type { Database } from '../../../platform/database/database.ts';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { decideAttribution } from '../../../domain/billing/checkout/attribution.ts';
import { recordCheckout } from '../../../domain/billing/checkout/record-checkout.repository.ts';
import {
  applyRefundFacts,
  type RefundFact,
} from '../../../domain/billing/refunds/apply-refunds.repository.ts';
import { requestRefund } from '../../../domain/billing/refunds/request-refund.repository.ts';
import {
  takeRefundFencingToken,
  type RefundFencingToken,
} from '../../../domain/billing/refunds/refund.repository.ts';
import {
  applyDisputes,
  type DisputeReading,
} from '../../../domain/billing/disputes/dispute.repository.ts';
import {
  applyReading,
  type PurchaseReading,
} from '../../../domain/billing/purchases/apply-purchase.command.ts';
import {
  takeFencingToken,
  type FencingToken,
} from '../../../domain/billing/purchases/purchase.repository.ts';
import type { TestDatabase } from '../engines/database.ts';
import { addProduct } from '../catalog/scene.ts';
import type { Seed, SeedProduct } from '../catalog/seed.ts';

export type Sale = { personId: string; productId: string; purchaseId: string };

type Parts = { testDatabase: TestDatabase; database: Database };

type Reading = PurchaseReading['reading'];

const ORDERED = { currency: 'USD', isBase: true, kind: 'one_time' } as const;

/** Purchases of 19.00 USD as their actor leaves them, without the actor. */
export function createSales(parts: Parts) {
  const { testDatabase, database } = parts;
  async function newSale(given?: Awaited<ReturnType<typeof addProduct>>): Promise<Sale> {
    const { personId, productId, price } = given ?? (await addProduct(testDatabase));
    const attribution = decideAttribution(null);
    const opened = await database.transaction((em) =>
      recordCheckout(em, { personId, productId, price, attribution }),
    );
    if (!opened || isRefusal(opened)) throw new Error('the checkout was not opened');
    return { personId, productId, purchaseId: opened.purchaseId };
  }

  const takeFor = ({ purchaseId }: Sale) =>
    database.transaction((em) => takeFencingToken(em, purchaseId));

  async function settle(sale: Sale, reading: Partial<Reading> = {}, known?: FencingToken) {
    const { purchaseId } = sale;
    const fence = known ?? (await takeFor(sale));
    const paid = { status: 'paid', amountMinor: 1_900, currency: 'USD' } as const;
    return database.transaction((em) =>
      applyReading(em, {
        purchaseId,
        fence,
        reading: { ...paid, paymentIntentId: `pi_${purchaseId}`, ...reading },
        processor: 'simulator',
      }),
    );
  }

  return {
    ...createReturns(parts),
    ...createSaleViews(parts),
    newSale,
    takeFor,
    settle,
    async paidSale(given?: Awaited<ReturnType<typeof addProduct>>): Promise<Sale> {
      const sale = await newSale(given);
      await settle(sale, given ? { amountMinor: given.price.amountMinor } : {});
      return sale;
    },
    /** What somebody new is about to buy. */
    async orderOf({ id: productId, offerId }: SeedProduct, seed: Seed) {
      const [price] = await testDatabase.query<{ priceId: string; amount: string }>(
        `select id as "priceId", amount_minor as amount from price where offer_id = $1 and is_base`,
        [offerId],
      );
      const { id: personId } = await seed.person();
      const { priceId, amount } = price!;
      const paid = { ...ORDERED, amountMinor: Number(amount) };
      return { personId, productId, price: { priceId, offerId, ...paid } };
    },
  };
}

/** What a purchase leads to: access, events and the accounts that it is booked on. */
function createSaleViews({ testDatabase, database }: Parts) {
  return {
    isActive: async (sale: Sale) => (await readAccess(database.pool, sale)).isActive,
    /** What each account holds of a purchase. */
    async balances({ purchaseId }: Sale): Promise<Record<string, number>> {
      const found = await testDatabase.query<{ account: string; sum: string }>(
        `select account, sum(amount_minor) from ledger_entry e join payment p on p.id = e.payment_id
         where p.purchase_id = $1 group by account`,
        [purchaseId],
      );
      return Object.fromEntries(found.map(({ account, sum }) => [account, Number(sum)]));
    },
    /** Access for nothing, beside the purchase. */
    grant: ({ productId, personId }: Sale) =>
      database.transaction(async (em) => {
        const access = await lockAccess(em, { productId, personId });
        const source = newPublicId('grant_');
        const startsAt = new Date(Date.now() - 1_000);
        const grant = { type: 'complimentary', source, startsAt, endsAt: null } as const;
        await addGrant(em, { productId, personId }, grant);
        await storeAccess(em, access, { reason: 'granted' });
      }),
    async eventNames({ productId }: Sale): Promise<string[]> {
      const found = await testDatabase.query<{ name: string }>(
        'select name from event where product_id = $1 order by created_at, id',
        [productId],
      );
      return found.map(({ name }) => name);
    },
  };
}

/** What goes back of them, as their actor is told. */
function createReturns({ testDatabase, database }: Parts) {
  const fenceFor = ({ purchaseId }: Sale) =>
    database.transaction((em) => takeRefundFencingToken(em, purchaseId));

  let number = 0;

  /** The processor's word on refunds: one of the whole that succeeded, unless told otherwise. */
  async function tell(sale: Sale, facts: Partial<RefundFact>[], given?: RefundFencingToken) {
    const fence = given ?? (await fenceFor(sale));
    const paymentId = fence.payments[0]!.paymentId;
    const told = facts.map((fact): RefundFact => {
      number += 1;
      const made = { processorId: `re_${number}`, refundId: null, failure: null };
      return { ...made, paymentId, status: 'succeeded', amountMinor: 1_900, ...fact };
    });
    const { purchaseId } = sale;
    const settlement = { purchaseId, fence, facts: told, processor: 'simulator' };
    return database.transaction((em) => applyRefundFacts(em, settlement));
  }

  const rowOf = async (table: string, column: string, value: string) => {
    const sql = `select * from ${table} where ${column} = $1`;
    return (await testDatabase.query<Record<string, unknown>>(sql, [value]))[0]!;
  };

  return {
    fenceFor,
    tell,
    rowOf,
    paymentOf: (sale: Sale) => rowOf('payment', 'purchase_id', sale.purchaseId),
    purchaseOf: (sale: Sale) => rowOf('purchase', 'id', sale.purchaseId),
    ask: ({ purchaseId }: Sale, amountMinor: number, refundId = newPublicId('re_')) =>
      database.transaction((em) => {
        const reason = 'requested_by_customer';
        return requestRefund(em, { refundId, purchaseId, amountMinor, requestedBy: null, reason });
      }),
    /** What the bank says, as its processor shows it. */
    async dispute(
      { purchaseId }: Sale,
      said: Partial<DisputeReading> & Pick<DisputeReading, 'status'>,
      known: { fence?: FencingToken } = {},
    ) {
      const fence =
        known.fence ?? (await database.transaction((em) => takeFencingToken(em, purchaseId)));
      const made = {
        processorId: `du_${purchaseId}`,
        currency: 'USD',
        reason: 'fraudulent',
        dueAt: null,
      };
      const paymentIntentId = `pi_${purchaseId}`;
      const disputes = [{ ...made, amountMinor: 1_900, fees: [], ...said }];
      const given = { purchaseId, fence, processor: 'simulator', disputes, paymentIntentId };
      await database.transaction((em) => applyDisputes(em, given));
    },
  };
}
