import { isRefusal } from '../../../domain/shared/refusal.ts';
import { purchaseWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { newPublicId, newUuid } from '../../../domain/shared/ids.ts';
import { decideAttribution } from '../../../domain/billing/checkout/attribution.ts';
import { attachSession } from '../../../domain/billing/checkout/checkout.repository.ts';
import { recordCheckout } from '../../../domain/billing/checkout/record-checkout.repository.ts';
import { BILLING_INTERVALS } from '../../../domain/billing/recurring/billing-interval.ts';
import { recordProcessorEvent } from '../../../domain/billing/processor-inbox/inbox.repository.ts';
import { requestRefund } from '../../../domain/billing/refunds/request-refund.repository.ts';
import { passTime } from '../engines/clock.ts';
import { eventually } from '../eventually.ts';
import { wakeActor } from './reconciling.ts';
import { addProduct } from '../catalog/scene.ts';
import { pay, type Shop } from './simulator.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';

type Scene = Awaited<ReturnType<typeof addProduct>>;

/** A buyer in front of the hosted checkout, with the actor that follows the purchase. */
export async function startPurchase(stage: Stage, shop: Shop, scene?: Scene) {
  const { client, database, testDatabase } = stage;
  const opened = await open(stage, scene);
  const { personId, productId, price, checkoutId, purchaseId } = opened;
  const actor = purchaseWorkflow(purchaseId);
  await wakeActor(database, actor);
  const { workflowId } = actor;
  const handle = client.workflow.getHandle(workflowId);
  let pageUrl = '';
  return {
    personId,
    productId,
    price,
    purchaseId,
    workflowId,
    handle,
    async openSession() {
      const amount = { amountMinor: price.amountMinor, currency: price.currency };
      const interval = BILLING_INTERVALS[price.kind];
      const session = await shop.processor.openCheckout(
        shop.input({ checkoutId, purchaseId, recurring: interval && { interval }, ...amount }),
      );
      await database.transaction((em) => attachSession(em, checkoutId, session));
      pageUrl = session.url;
    },
    pay: (card: string) => pay(pageUrl, card),
    /** What the processor's signed request leads to. */
    tell(type: string) {
      const event = { processor: 'simulator', id: `evt_${newUuid()}`, type, purchaseId, body: {} };
      return database.transaction((em) => recordProcessorEvent(em, event));
    },
    /** What the console does. */
    async refund(amountMinor: number = price.amountMinor) {
      const refundId = newPublicId('re_');
      const request = { refundId, purchaseId, amountMinor, requestedBy: personId };
      const asked = await database.transaction((em) =>
        requestRefund(em, { ...request, reason: 'requested_by_customer' }),
      );
      if (isRefusal(asked)) throw new Error(asked.refused);
      return refundId;
    },
    ...createPurchaseViews(testDatabase, { purchaseId, productId }),
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    async passHours(hours: number) {
      await passTime(testDatabase, { client, workflowId, milliseconds: hours * 3_600_000 });
    },
    async result(): Promise<string> {
      // The outbox publisher may still be about to start it.
      await eventually(
        () => handle.describe().catch(() => null),
        (described) => described !== null,
      );
      return handle.result();
    },
  };
}

/** The rows that a purchase leaves. */
function createPurchaseViews(
  testDatabase: Stage['testDatabase'],
  { purchaseId, productId }: { purchaseId: string; productId: string },
) {
  return {
    async refunds() {
      const sql = `select r.status, r.amount_minor::int as amount, r.processor_id is not null as "isKnown" from refund r
        join payment p on p.id = r.payment_id where p.purchase_id = $1 order by r.created_at, r.id`;
      return testDatabase.query<{ status: string; amount: number; isKnown: boolean }>(sql, [
        purchaseId,
      ]);
    },
    async status() {
      const sql = 'select status from purchase where id = $1';
      return (await testDatabase.query<{ status: string }>(sql, [purchaseId]))[0]!.status;
    },
    async events() {
      const sql = 'select name from event where product_id = $1 order by created_at, id';
      const found = await testDatabase.query<{ name: string }>(sql, [productId]);
      return found.map(({ name }) => name);
    },
  };
}

async function open({ database, testDatabase }: Stage, scene?: Scene) {
  const { personId, productId, price } = scene ?? (await addProduct(testDatabase));
  const attribution = decideAttribution(null);
  const opened = await database.transaction((em) =>
    recordCheckout(em, { personId, productId, price, attribution }),
  );
  if (!opened || isRefusal(opened)) throw new Error('the checkout was not opened');
  const { checkoutId, purchaseId } = opened;
  return { personId, productId, price, checkoutId, purchaseId };
}
