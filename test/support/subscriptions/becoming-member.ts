import { membershipWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { activateProduct } from '../../../domain/entitlements/memberships/activated-products.repository.ts';
import { recordProcessorEvent } from '../../../domain/billing/processor-inbox/inbox.repository.ts';
import {
  attachMemberSession,
  openMembership,
} from '../../../domain/billing/memberships/membership-billing.repository.ts';
import {
  requestChange,
  type RequestedChange,
} from '../../../domain/billing/recurring/change-request.repository.ts';
import { skipTime } from '../engines/clock.ts';
import { eventually } from '../eventually.ts';
import { priceMember } from './memberships.ts';
import { wakeActor } from '../purchases/reconciling.ts';
import { addProduct } from '../catalog/scene.ts';
import { CARDS, pay, type Shop } from '../purchases/simulator.ts';
import { untilSimulated } from './subscribing.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';

const DAY_MS = 86_400_000;

type Row = {
  status: string;
  processor_id: string | null;
  is_closing: boolean;
  ask_again_at: Date | null;
};

/** Somebody in front of the hosted checkout of Member, with the actor that follows the membership. */
export async function startMembership(stage: Stage, shop: Shop) {
  const { client, database, testDatabase } = stage;
  const { personId, membershipId, session } = await openAtProcessor(stage, shop);
  const actor = membershipWorkflow(membershipId);
  await wakeActor(database, actor);
  const { workflowId } = actor;
  const row = async () => {
    const sql = 'select * from membership where id = $1';
    return (await testDatabase.query<Row>(sql, [membershipId]))[0]!;
  };
  const status = async () => (await row()).status;
  const told = async (productId: string) => {
    const sql = 'select name from event where product_id = $1 order by created_at, id';
    return (await testDatabase.query<{ name: string }>(sql, [productId])).map(({ name }) => name);
  };
  const handle = client.workflow.getHandle(workflowId);
  return {
    personId,
    membershipId,
    workflowId,
    sessionId: session.sessionId,
    handle,
    row,
    told,
    reaches: (wanted: string) => eventually(status, (found) => found === wanted),
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    pay: (card: string = CARDS.succeeds) => pay(session.url, card),
    async tell(type: string, about: { intent?: string } = {}) {
      const event = { processor: 'simulator', id: `evt_${newUuid()}`, type, body: {} };
      const named = about.intent ? { paymentIntentId: about.intent } : { membershipId };
      await database.transaction((em) =>
        recordProcessorEvent(em, { ...event, purchaseId: null, ...named }),
      );
    },
    async openProduct(): Promise<string> {
      const { productId } = await addProduct(testDatabase, { isIncluded: true });
      await database.transaction((em) => activateProduct(em, { personId, productId }));
      return productId;
    },
    requestChange: (change: RequestedChange) =>
      database.transaction((em) => requestChange(em, { membershipId, change })),
    async hears(productId: string, name: string): Promise<string[]> {
      return eventually(
        () => told(productId),
        (names) => names.includes(name),
      );
    },
    async passDays(days: number) {
      const milliseconds = days * DAY_MS;
      await testDatabase.advance(milliseconds);
      await untilSimulated(stage);
      await skipTime({ client, workflowId, milliseconds });
    },
    ...createMembershipViews(stage, membershipId),
    async result(): Promise<string> {
      return handle.result();
    },
  };
}

/** What is booked of a membership, and what waits. */
function createMembershipViews(stage: Stage, membershipId: string) {
  return {
    payments: () =>
      stage.testDatabase.query<{ id: string; status: string; processorId: string }>(
        `select id, status, processor_id as "processorId" from payment where membership_id = $1
         order by created_at, id`,
        [membershipId],
      ),
    /** What the processor has said of it and nobody has followed. */
    unhandled: () => countUnhandled(stage, membershipId),
  };
}

async function countUnhandled({ testDatabase }: Stage, membershipId: string): Promise<number> {
  const sql = 'select 1 from processor_event where membership_id = $1 and handled_at is null';
  return (await testDatabase.query(sql, [membershipId])).length;
}

type Databases = Pick<Stage, 'database' | 'testDatabase'>;

/** A hosted checkout of Member that nobody has paid yet. */
export async function openAtProcessor({ database, testDatabase }: Databases, shop: Shop) {
  const price = await priceMember({ database, testDatabase });
  const { personId } = await addProduct(testDatabase);
  const opened = await database.transaction((em) => openMembership(em, { personId, price }));
  if (!opened || isRefusal(opened)) throw new Error('the membership was not opened');
  const { membershipId } = opened;
  const { amountMinor, currency, billingInterval: interval } = price;
  const session = await shop.processor.openCheckout(
    shop.input({
      checkoutId: membershipId,
      purchaseId: undefined,
      membershipId,
      payoutAccount: null,
      amountMinor,
      currency,
      recurring: { interval },
    }),
  );
  await attachMemberSession(database.em(), membershipId, session);
  return { personId, membershipId, session };
}
