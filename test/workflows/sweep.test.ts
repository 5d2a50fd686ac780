import pg from 'pg';
import test, { type ExecutionContext } from 'ava';
import { queueMail } from '../../domain/identity/mail/mail.repository.ts';
import {
  mailWorkflow,
  recoveryWorkflow,
  type WorkflowName,
} from '../../domain/outbox/workflow-targets.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { BackgroundJob } from '../../worker/jobs/background-job.ts';
import { TASK_QUEUES } from '../../workflows/contracts.ts';
import { startMembership } from '../support/subscriptions/becoming-member.ts';
import { failTogether } from '../support/webhooks/cohorts.ts';
import { cancelOpenDeliveries } from '../support/webhooks/backlog.ts';
import { deliver } from '../support/webhooks/deliveries.ts';
import { grantAccess } from '../support/catalog/entitlements.ts';
import {
  BUSY,
  REPOSITORY,
  REPOSITORY_REPLIES,
  serveReplies,
  startImport,
} from '../support/catalog/imports.ts';
import { eventually } from '../support/eventually.ts';
import { INTERRUPTIONS } from '../support/webhooks/interrupting.ts';
import { createPoolFakes } from '../support/pool/runs/pool-fakes.ts';
import { startPeriod } from '../support/pool/pool-periods.ts';
import { startPayout } from '../support/pool/runs/payout-runs.ts';
import { createKnobs } from '../support/purchases/knobs.ts';
import { startPurchase } from '../support/purchases/purchases.ts';
import { sweepNow } from '../support/purchases/reconciling.ts';
import { addTroubledProduct, beginRecovery } from '../support/webhooks/recoveries.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { CARDS, startShop, type Shop } from '../support/purchases/simulator.ts';
import {
  endRenewals,
  startSubscription,
  untilSimulated,
} from '../support/subscriptions/subscribing.ts';
import { untilWaiting } from '../support/engines/temporal.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let shop: Shop;
let stage: Stage;
let dispatcher: BackgroundJob;
let isMailAway = false;
let forge: Awaited<ReturnType<typeof serveReplies>>;

test.before(async () => {
  shop = await startShop();
  const send = async () => {
    if (isMailAway) throw new Error('the mail server is away');
    return true;
  };
  forge = await serveReplies();
  stage = await openStage({
    taskQueues: [...TASK_QUEUES],
    forgeUrl: forge.url,
    mailer: { send, close: () => undefined },
    processor: shop.processor,
    testDatabase: shop.database,
    activities: createPoolFakes().activities,
  });
  dispatcher = stage.startDispatcher();
  stage.startPublisher();
  await stage.startWorkers();
});
test.afterEach.always(() => endRenewals(stage.testDatabase));
test.after.always(async () => {
  await stage?.close();
  await Promise.all([shop?.close(), forge?.close()]);
});

type Case = {
  workflowId: string;
  /** How far its row is from being overdue. */
  dueInMs: number;
  /** A run that was reset asks the processor first, and waits then. */
  waits?: boolean;
  /** Once the workflow was stopped. */
  stopped?(): Promise<unknown>;
  /** Until the row has come to its end, by one of each. */
  ends(t: ExecutionContext): Promise<unknown>;
};

const once = (names: string[], name: string) => names.filter((each) => each === name).length === 1;

/** Until its activity is tried for so many times. */
async function untilTried(workflowId: string, times: number): Promise<void> {
  const handle = stage.client.workflow.getHandle(workflowId);
  await eventually(
    () => handle.describe().catch(() => null),
    (found) => (found?.raw.pendingActivities?.[0]?.attempt ?? 0) >= times,
  );
}

const CASES: Record<WorkflowName, () => Promise<Case>> = {
  async webhookDelivery() {
    const story = await deliver(stage, 503, 204);
    await story.isWaiting(1);
    return {
      workflowId: story.workflowId,
      dueInMs: MINUTE_MS,
      async ends(t) {
        await story.reaches(({ status }) => status === 'succeeded');
        t.deepEqual(
          (await story.attempts()).map(({ step }) => step),
          [0, 1],
        );
      },
    };
  },

  async deliveryCohort() {
    const story = await failTogether(stage, { count: 3, answers: [503, 503, 503, 204] });
    await story.isWaiting(1);
    return {
      workflowId: story.workflowId,
      dueInMs: MINUTE_MS,
      async ends() {
        await story.reach((rows) => rows.every(({ status }) => status === 'succeeded'));
        await cancelOpenDeliveries(stage.testDatabase, story.productId);
      },
    };
  },

  async entitlementLifecycle() {
    const story = await grantAccess(stage, { days: 1 });
    await story.isWaiting(1);
    const { workflowId } = story;
    const ends = () => eventually(story.events, (names) => once(names, 'entitlement.expired'));
    return { workflowId, dueInMs: DAY_MS, ends };
  },

  async recoverDeliveries() {
    // Its case is over with the recovery: each attempt would fail, and most with a workflow of its own.
    await dispatcher.stop();
    const scene = await addTroubledProduct(stage, { held: 1_100 });
    // Its first batch waits for this lock, so that the click comes before its end.
    const holder = new pg.Client({ connectionString: stage.testDatabase.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from delivery_state where product_id = $1 for update', [
      scene.productId,
    ]);
    const started = await beginRecovery(stage, scene, { since: new Date(0) });
    if (isRefusal(started)) throw new Error(started.refused);
    const { recoveryId, total } = started;
    const { workflowId } = recoveryWorkflow(recoveryId);
    await untilTried(workflowId, 1);
    const row = async () => {
      const sql = 'select status, done from recovery where id = $1';
      const [found] = await stage.testDatabase.query<{ status: string; done: number }>(sql, [
        recoveryId,
      ]);
      return found!;
    };
    return {
      workflowId,
      dueInMs: 0,
      stopped: () => holder.end(),
      async ends(t) {
        const { done } = await eventually(row, ({ status }) => status === 'completed');
        t.is(done, total);
        await cancelOpenDeliveries(stage.testDatabase, scene.productId);
        dispatcher = stage.startDispatcher();
      },
    };
  },

  async listingImport() {
    const replies = { ...REPOSITORY_REPLIES, '/repos/maker/paper': BUSY };
    Object.assign(forge.replies, replies);
    const story = await startImport(stage, { kind: 'repository', address: REPOSITORY });
    await story.reaches('waiting');
    return {
      workflowId: story.workflowId,
      dueInMs: 10 * MINUTE_MS,
      async stopped() {
        Object.assign(forge.replies, REPOSITORY_REPLIES);
      },
      ends: () => story.reaches('ready'),
    };
  },

  async sendMail() {
    const { personId } = await addProduct(stage.testDatabase);
    isMailAway = true;
    const mail = { purpose: 'verify_email', personId, address: 'ada@example.com' } as const;
    await stage.database.transaction((em) => queueMail(em, mail));
    const rows = () =>
      stage.testDatabase.query<{ id: string; sent_at: Date | null; queued_at: Date | null }>(
        'select id, sent_at, queued_at from mail_token where person_id = $1',
        [personId],
      );
    const { workflowId } = mailWorkflow((await rows())[0]!.id);
    await untilTried(workflowId, 2);
    return {
      workflowId,
      dueInMs: 0,
      async stopped() {
        isMailAway = false;
      },
      ends: () => eventually(rows, ([row]) => row!.sent_at !== null && row!.queued_at === null),
    };
  },

  async purchaseClearing() {
    const story = await startPurchase(stage, shop);
    await story.openSession();
    await story.isWaiting(1);
    return {
      workflowId: story.workflowId,
      dueInMs: 2 * HOUR_MS,
      stopped: () => story.pay(CARDS.succeeds),
      async ends(t) {
        await eventually(story.status, (status) => status === 'cleared');
        const names = await eventually(story.events, ({ length }) => length >= 2);
        t.deepEqual(names.toSorted(), ['entitlement.created', 'purchase.completed']);
      },
    };
  },

  async poolPeriod() {
    const story = await startPeriod(stage, 'DKK');
    await story.isWaiting(1);
    return {
      workflowId: story.workflowId,
      dueInMs: (await story.untilFrozenMs()) + 20 * MINUTE_MS,
      ends: () => story.reaches('empty'),
    };
  },

  async poolPayout() {
    await createKnobs(shop).transfers('refuse', 1);
    const story = await startPayout(stage, shop);
    await story.isWaiting(1);
    return {
      workflowId: story.workflowId,
      dueInMs: MINUTE_MS,
      async ends(t) {
        await story.reaches(({ status }) => status === 'paid');
        t.is((await story.transfers()).length, 1);
      },
    };
  },

  async subscriptionLifecycle() {
    const story = await startSubscription(stage, shop);
    await story.isWaiting(1);
    const ends = () => eventually(story.events, (names) => once(names, 'entitlement.renewed'));
    return { workflowId: story.workflowId, waits: true, dueInMs: 32 * DAY_MS, ends };
  },

  async membershipLifecycle() {
    const story = await startMembership(stage, shop);
    await story.isWaiting(1);
    await story.pay();
    await story.tell('checkout.session.completed');
    await story.reaches('active');
    const product = await story.openProduct();
    await story.isWaiting(2);
    const told = () => story.told(product);
    const ends = () => eventually(told, (names) => once(names, 'entitlement.renewed'));
    return { workflowId: story.workflowId, waits: true, dueInMs: 32 * DAY_MS, ends };
  },
};

for (const workflowType of Object.keys(CASES) as WorkflowName[]) {
  for (const [how, interrupt] of Object.entries(INTERRUPTIONS)) {
    test.serial(`a ${workflowType} that is ${how} in Temporal goes on by itself`, async (t) => {
      const { workflowId, waits, dueInMs, stopped, ends } = await CASES[workflowType]();
      await interrupt(stage.client, workflowId);
      if (waits && how === 'reset') await untilWaiting(stage.client, { workflowId, timers: 1 });
      await stopped?.();
      await stage.testDatabase.advance(dueInMs + 11 * MINUTE_MS);
      await untilSimulated(stage);
      await sweepNow(stage);
      await ends(t);
      t.pass();
    });
  }
}
