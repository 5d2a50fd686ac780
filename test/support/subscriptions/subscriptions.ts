import type { Database } from '../../../platform/database/database.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { applySubscription } from '../../../domain/billing/product-subscriptions/apply-subscription.repository.ts';
import type {
  ChargeReading,
  SubscriptionReading,
} from '../../../domain/billing/recurring/processor-snapshot.ts';
import {
  takeSubscriptionFencingToken,
  type SubscriptionFencingToken,
} from '../../../domain/billing/product-subscriptions/subscription-view.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/recurring/change-request.repository.ts';
import type { TestDatabase } from '../engines/database.ts';
import { createSales, type Sale } from '../purchases/sales.ts';
import { addProduct } from '../catalog/scene.ts';

export const DAY_MS = 86_400_000;
const PERIOD_DAYS = 30;

export type Subscribed = Sale & {
  subscriptionId: string;
  processorId: string;
  /** The instant from which the processor counts its days. */
  anchor: Date;
};

/** What the processor is to say, in days from the anchor: a period is 30 of them. */
export type Said = {
  /** When the first period began. */
  begun?: number;
  /** How many renewals were paid. */
  renewals?: number;
  /** The renewal after those was refused; when it is tried again, or null. */
  retryIn?: number | null;
  /** How often that one was tried. */
  attempts?: number;
  status?: SubscriptionReading['status'];
  isCancelAtPeriodEnd?: boolean;
  endedAt?: number;
  change?: (charges: ChargeReading[]) => void;
};

type Recurring = 'monthly' | 'yearly';

type Order = Awaited<ReturnType<typeof addProduct>>;

/** Subscriptions for 19.00 USD a month as their actor leaves them, without the actor. */
export function createSubscriptions(parts: { testDatabase: TestDatabase; database: Database }) {
  const { testDatabase, database } = parts;
  const sales = createSales(parts);

  /** What a first payment leads to: of what is ordered, or of a product of its own. */
  async function subscribe(kind: Recurring = 'monthly', order?: Order): Promise<Subscribed> {
    const ordered = order ?? (await addProduct(testDatabase, { kind }));
    const sale = await sales.newSale(ordered);
    const processorId = `sim_${sale.purchaseId}`;
    const { amountMinor, currency } = ordered.price;
    await sales.settle(sale, { subscriptionId: processorId, amountMinor, currency });
    const { id: subscriptionId } = await rowOf(sale);
    return { ...sale, subscriptionId: String(subscriptionId), processorId, anchor: await clock() };
  }

  async function clock(): Promise<Date> {
    return (await testDatabase.query<{ now: Date }>('select gatehouse_now() as now'))[0]!.now;
  }

  async function rowOf({ purchaseId }: Sale): Promise<Record<string, unknown>> {
    const sql = 'select * from subscription where purchase_id = $1';
    return (await testDatabase.query<Record<string, unknown>>(sql, [purchaseId]))[0]!;
  }

  const fenceFor = ({ subscriptionId }: Subscribed) =>
    database.transaction((em) => takeSubscriptionFencingToken(em, subscriptionId));

  async function hear(subscribed: Subscribed, said: Said = {}, fence?: SubscriptionFencingToken) {
    const taken = fence ?? (await fenceFor(subscribed));
    const { processorId, anchor, purchaseId } = subscribed;
    const charged = { processorId, anchor, name: purchaseId, amountMinor: 1_900 };
    const reading = describeReading(charged, said);
    const told = { fence: taken, reading, feeBasisPoints: 1_000, processor: 'simulator' };
    await database.transaction((em) => applySubscription(em, told));
  }

  return {
    ...sales,
    ...createSubscriptionViews(testDatabase),
    subscribe,
    rowOf,
    fenceFor,
    hear,
    statusOf: async (subscribed: Sale) => (await rowOf(subscribed))['status'],
    async requestChange({ subscriptionId }: Subscribed, change: RequestedChange) {
      const request = { subscriptionId, change };
      const made = await database.transaction((em) => requestChange(em, request));
      return isRefusal(made) ? made.refused : 'requested';
    },
  };
}

/** The rows that a subscription leaves. */
function createSubscriptionViews(testDatabase: TestDatabase) {
  return {
    payments: ({ purchaseId }: Sale) =>
      testDatabase.query<{ id: string; status: string; processorId: string; gross: number }>(
        `select id, status, processor_id as "processorId", gross_minor::int as gross
         from payment where purchase_id = $1 order by created_at, id`,
        [purchaseId],
      ),
    refundsOf: ({ purchaseId }: Sale) =>
      testDatabase.query<{ paymentId: string; amount: number; requestedBy: string | null }>(
        `select r.payment_id as "paymentId", r.amount_minor::int as amount,
           r.requested_by as "requestedBy"
         from refund r join payment p on p.id = r.payment_id where p.purchase_id = $1
         order by r.created_at, r.id`,
        [purchaseId],
      ),
    async messagesTo({ subscriptionId }: Subscribed): Promise<string[]> {
      const found = await testDatabase.query<{ kind: string }>(
        `select message->>'kind' as kind from outbox where workflow_id = $1 order by id`,
        [`subscription:${subscriptionId}`],
      );
      return found.map(({ kind }) => kind);
    },
    async mailsTo({ personId }: Sale): Promise<string[]> {
      const found = await testDatabase.query<{ purpose: string }>(
        `select purpose from mail_token
         where person_id = $1 and purpose like 'renewal%' order by created_at, id`,
        [personId],
      );
      return found.map(({ purpose }) => purpose);
    },
  };
}

/** What is charged, and from when on. */
type Charged = { processorId: string; anchor: Date; name: string; amountMinor: number };

export function describeReading(charged: Charged, said: Said): SubscriptionReading {
  const { begun = -1, renewals = 0, retryIn, isCancelAtPeriodEnd = false, endedAt } = said;
  const { attempts = 1 } = said;
  const day = (days: number) => new Date(charged.anchor.getTime() + days * DAY_MS);
  const charge = (index: number): ChargeReading => ({
    paymentIntentId: `pi_${charged.name}${index === 0 ? '' : `_${index}`}`,
    amountMinor: charged.amountMinor,
    currency: 'USD',
    status: 'paid',
    isFirst: index === 0,
    periodStart: day(begun + index * PERIOD_DAYS),
    periodEnd: day(begun + (index + 1) * PERIOD_DAYS),
    attempts: 1,
    nextAttemptAt: null,
  });
  const charges = Array.from({ length: renewals + 1 }, (_, index) => charge(index));
  if (retryIn !== undefined) {
    const nextAttemptAt = retryIn === null ? null : day(retryIn);
    charges.push({ ...charge(renewals + 1), status: 'open', attempts, nextAttemptAt });
  }
  said.change?.(charges);
  const status = said.status ?? (retryIn === undefined ? 'active' : 'past_due');
  return {
    processorId: charged.processorId,
    status: endedAt === undefined ? status : 'ended',
    periodEnd: charges.at(-1)!.periodEnd,
    isCancelAtPeriodEnd,
    endedAt: endedAt === undefined ? null : day(endedAt),
    charges,
  };
}
