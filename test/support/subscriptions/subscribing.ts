import type { OfferKind } from '../../../domain/catalog/product.repository.ts';
import { subscriptionWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { recordProcessorEvent } from '../../../domain/billing/processor-inbox/inbox.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/recurring/change-request.repository.ts';
import { skipTime } from '../engines/clock.ts';
import type { TestDatabase } from '../engines/database.ts';
import { eventually } from '../eventually.ts';
import { startPurchase } from '../purchases/purchases.ts';
import { addProduct } from '../catalog/scene.ts';
import { CARDS, type Shop } from '../purchases/simulator.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';

const DAY_MS = 86_400_000;

type Order = { kind?: Exclude<OfferKind, 'one_time'>; card?: string };

type Row = { id: string; status: string; processor_id: string; is_closing: boolean };

/** Somebody who has subscribed at the simulator, with the actor that follows the subscription. */
export async function startSubscription(stage: Stage, shop: Shop, order: Order = {}) {
  const { kind = 'monthly', card = CARDS.succeeds } = order;
  const { client, database, testDatabase } = stage;
  const story = await startPurchase(stage, shop, await addProduct(testDatabase, { kind }));
  await story.openSession();
  await story.pay(card);
  await story.tell('checkout.session.completed');
  const { purchaseId, personId } = story;
  const row = async () => {
    const sql = 'select * from subscription where purchase_id = $1';
    return (await testDatabase.query<Row>(sql, [purchaseId]))[0]!;
  };
  const { id: subscriptionId } = await eventually(row, ({ status }) => status !== 'incomplete');
  const { workflowId } = subscriptionWorkflow(subscriptionId);
  const handle = client.workflow.getHandle(workflowId);
  const status = async () => (await row()).status;
  return {
    ...story,
    subscriptionId,
    workflowId,
    handle,
    row,
    status,
    reaches: (wanted: string) => eventually(status, (found) => found === wanted),
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    async requestChange(change: RequestedChange) {
      return database.transaction((em) => requestChange(em, { subscriptionId, change }));
    },
    /** What the processor's signed request about it leads to. */
    async tellOf(type: string) {
      const { processor_id: said } = await row();
      const event = { processor: 'simulator', id: `evt_${newUuid()}`, type, body: {} };
      const about = { purchaseId: null, subscriptionId: said };
      await database.transaction((em) => recordProcessorEvent(em, { ...event, ...about }));
    },
    async passDays(days: number) {
      const milliseconds = days * DAY_MS;
      await testDatabase.advance(milliseconds);
      await untilSimulated(stage);
      await skipTime({ client, workflowId, milliseconds });
    },
    /** What has been announced, once so many of one name are among it. */
    async announced(name: string, times = 1): Promise<string[]> {
      return eventually(
        story.events,
        (names) => names.filter((each) => each === name).length >= times,
      );
    },
    async mails(): Promise<string[]> {
      const sql = `select purpose from mail_token
        where person_id = $1 and purpose like 'renewal%' order by created_at, id`;
      const found = await testDatabase.query<{ purpose: string }>(sql, [personId]);
      return found.map(({ purpose }) => purpose);
    },
    async result(): Promise<string> {
      return handle.result();
    },
  };
}

/** Until the simulator has noticed all that has come due by the clock. */
export async function untilSimulated({ testDatabase }: Stage): Promise<void> {
  const due = `select 1 from simulator.subscription
      where status <> 'canceled' and period_end <= gatehouse_now()
    union all select 1 from simulator.invoice where next_attempt_at <= gatehouse_now()`;
  await eventually(
    () => testDatabase.query(due),
    (found) => found.length === 0,
  );
}

/** What was subscribed to so far is not renewed in the months that a later test lets pass. */
export async function endRenewals({ query }: Pick<TestDatabase, 'query'>): Promise<void> {
  await query(
    `with over as (
       update simulator.subscription set status = 'canceled', ended_at = gatehouse_now()
       where status <> 'canceled')
     update simulator.invoice set next_attempt_at = null where next_attempt_at is not null`,
  );
}
