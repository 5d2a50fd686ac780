// `node test/support/workflows/record-histories.ts`: records the runs that test/histories lacks. A recorded run stays as
// long as it replays. A change of a workflow that breaks it records it again, and the commit says why.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { launch } from '../../../dev/process/launch.ts';
import { MANUAL_RUNS } from './manual-runs.ts';
import { COHORT_RUNS } from './cohort-runs.ts';
import { deliver } from '../webhooks/deliveries.ts';
import { serveReplies } from '../catalog/imports.ts';
import { createImportRuns } from './import-runs.ts';
import { startEngines } from '../engines/engines.ts';
import { eventually } from '../eventually.ts';
import { grantAccess } from '../catalog/entitlements.ts';
import { HISTORIES } from './histories.ts';
import { startPurchase } from '../purchases/purchases.ts';
import { queueMail } from '../../../domain/identity/mail/mail.repository.ts';
import { passHoursUnwatched, reconcileNow, untilNothingClears } from '../purchases/reconciling.ts';
import { recover } from '../webhooks/recoveries.ts';
import { MEMBERSHIP_RUNS } from '../subscriptions/membership-runs.ts';
import { addProduct } from '../catalog/scene.ts';
import { POOL_MONTH_RUNS } from '../pool/runs/pool-month-runs.ts';
import { POOL_PERIOD_RUNS, RECORDED_POOL } from '../pool/runs/pool-runs.ts';
import { SEAL_RUNS } from './seal-runs.ts';
import { PAYOUT_RUNS } from '../pool/runs/payout-runs.ts';
import { SUBSCRIPTION_RUNS } from '../subscriptions/subscription-runs.ts';
import { CARDS, startShop, type Shop } from '../purchases/simulator.ts';
import { UPKEEP_RUNS } from './upkeep-runs.ts';
import { openStage, type Stage } from '../engines/worker.ts';

type Ended = { workflowId: string; result(): Promise<string> };

type Run = (stage: Stage, shop: Shop) => Promise<Ended>;

// In this order: each moves the clock of the database that they share.
const RUNS: Record<string, Run> = {
  'purchase-cleared': (stage, shop) => buy(stage, { shop, card: CARDS.succeeds }),

  'purchase-declined': (stage, shop) => buy(stage, { shop, card: CARDS.declined }),

  async 'purchase-abandoned'(stage, shop) {
    const story = await startPurchase(stage, shop);
    await story.isWaiting(1);
    await story.passHours(24.1);
    return story;
  },

  async 'delivery-dead-after-five-retries'(stage) {
    const story = await deliver(stage, 503);
    for (let step = 1; step <= 5; step += 1) await story.passWait(step);
    return story;
  },

  async 'delivery-succeeded-at-the-second-retry'(stage) {
    const story = await deliver(stage, 500, 404, 200);
    await story.passWait(1);
    await story.passWait(2);
    return story;
  },

  async 'delivery-held-by-a-disabled-endpoint'(stage) {
    const story = await deliver(stage, 503);
    await story.isWaiting(1);
    const disable = 'update webhook_endpoint set disabled_at = now() where id = $1';
    await stage.testDatabase.query(disable, [story.endpointId]);
    await story.passWait(1);
    return story;
  },

  'delivery-succeeded-at-the-first-retry': (stage) => succeedAt(stage, 1),
  'delivery-succeeded-at-the-third-retry': (stage) => succeedAt(stage, 3),
  'delivery-succeeded-at-the-fourth-retry': (stage) => succeedAt(stage, 4),
  'delivery-succeeded-at-the-fifth-retry': (stage) => succeedAt(stage, 5),

  'delivery-cancelled-by-a-deleted-endpoint': (stage) => closeAfterRetry(stage, 'deleted_at'),

  ...MANUAL_RUNS,

  // Its failure said how the row stood: no reading before the first wait, one after the endpoint closed.
  'delivery-begun-from-its-message': (stage) => closeAfterRetry(stage, 'disabled_at'),

  ...COHORT_RUNS,

  async 'entitlement-expired-after-60-days'(stage) {
    const story = await grantAccess(stage, { days: 60 });
    await story.isWaiting(1);
    await story.passDays(60.01);
    return story;
  },

  async 'entitlement-end-moved-on-day-29'(stage) {
    const story = await grantAccess(stage, { days: 30 });
    await story.isWaiting(1);
    await story.passDays(29);
    await story.moveEnd(60);
    await story.isWaiting(2);
    await story.passDays(60.01);
    return story;
  },

  async 'purchase-refunded'(stage, shop) {
    const story = await buy(stage, { shop, card: CARDS.succeeds });
    await story.result();
    await story.refund();
    await eventually(story.status, (status) => status === 'refunded');
    return story;
  },

  async 'purchase-refund-arrived-after-three-days'(stage, shop) {
    const story = await buy(stage, { shop, card: CARDS.refundsLate });
    await story.result();
    await story.refund();
    await eventually(story.refunds, ([refund]) => refund!.isKnown);
    await story.isWaiting(1);
    await story.passHours(72.1);
    return story;
  },

  'mail-sent': (stage) => mail(stage),

  'deliveries-recovered-in-three-batches': (stage) => recover(stage, { held: 1_100 }),

  ...SUBSCRIPTION_RUNS,

  ...MEMBERSHIP_RUNS,

  ...UPKEEP_RUNS,

  ...SEAL_RUNS,

  ...PAYOUT_RUNS,

  // The run that reconciliation began: nobody was waiting, and no event had come.
  async 'purchase-found-clearing-by-reconciliation'(stage, shop) {
    const story = await payUnwatched(stage, shop);
    await reconcileNow(stage);
    await eventually(story.status, (status) => status === 'clearing');
    await story.isWaiting(1);
    await passHoursUnwatched(stage, 48);
    await untilNothingClears(stage);
    await story.passHours(6.01);
    return story;
  },

  async 'reconcile-asked-two-batches'(stage) {
    const { personId, productId, price } = await addProduct(stage.testDatabase);
    await stage.testDatabase.query(
      `with made as (
         insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor, currency,
           status, expires_at)
         select gen_random_uuid(), $1, $2, $3, $4, 1900, 'USD', 'abandoned', gatehouse_now()
         from generate_series(1, 101) returning id)
       insert into purchase (id, checkout_id, person_id, product_id, status, service_source,
         ask_again_at)
       select 'pay_' || id, id, $1, $2, 'canceled', 'buy_link', gatehouse_now() from made`,
      [personId, productId, price.offerId, price.priceId],
    );
    const { workflowId, asked } = await reconcileNow(stage);
    return { workflowId, result: () => Promise.resolve(`asked ${asked}`) };
  },

  // Each moves the clock by a month or two.
  ...POOL_PERIOD_RUNS,
};

/** Declined, then paid by a card that clears late, with no event of that. */
async function payUnwatched(stage: Stage, shop: Shop) {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(CARDS.declined);
  await story.tell('payment_intent.payment_failed');
  await story.result();
  await story.pay(CARDS.clearsLate);
  await passHoursUnwatched(stage, 25.1);
  return story;
}

/** A delivery whose endpoint is closed while it waits for its second retry. */
async function closeAfterRetry(stage: Stage, how: 'disabled_at' | 'deleted_at'): Promise<Ended> {
  const story = await deliver(stage, 503);
  await story.passWait(1);
  await story.isWaiting(2);
  await story.closeEndpoint(how);
  return story;
}

/** A delivery whose endpoint recovers before one of the retries. */
async function succeedAt(stage: Stage, lastStep: number) {
  const story = await deliver(stage, ...Array.from({ length: lastStep }, () => 503), 204);
  for (let step = 1; step <= lastStep; step += 1) await story.passWait(step);
  return story;
}

async function mail(stage: Stage): Promise<Ended> {
  const { personId } = await addProduct(stage.testDatabase);
  const address = 'ada@example.com';
  await stage.database.transaction((em) =>
    queueMail(em, { purpose: 'verify_email', personId, address }),
  );
  const find = `select workflow_id as id from outbox where workflow_type = 'sendMail'`;
  const [row] = await stage.testDatabase.query<{ id: string }>(find);
  const workflowId = row!.id;
  const { client } = stage;
  return {
    workflowId,
    async result() {
      await eventually(
        () =>
          client.workflow
            .getHandle(workflowId)
            .describe()
            .catch(() => null),
        (described) => described?.status.name === 'COMPLETED',
      );
      return client.workflow.getHandle(workflowId).result();
    },
  };
}

async function buy(stage: Stage, { shop, card }: { shop: Shop; card: string }) {
  const story = await startPurchase(stage, shop);
  await story.openSession();
  await story.isWaiting(1);
  await story.pay(card);
  await story.tell('checkout.session.completed');
  return story;
}

async function record(): Promise<void> {
  const shop = await startShop();
  const outside = await serveReplies();
  await recordMissing(shop, RUNS, { activities: RECORDED_POOL.activities });
  await recordMissing(shop, POOL_MONTH_RUNS);
  await recordMissing(shop, createImportRuns(outside), { forgeUrl: outside.url });
  await Promise.all([shop.close(), outside.close()]);
}

type Steps = Pick<Parameters<typeof openStage>[0], 'activities' | 'forgeUrl'>;

/** With the real activities, or others in their place. */
async function recordMissing(
  shop: Shop,
  runs: Record<string, Run>,
  steps: Steps = {},
): Promise<void> {
  const missing = Object.entries(runs).filter(([name]) => !existsSync(fileOf(name)));
  if (missing.length === 0) return;
  const stage = await openStage({
    taskQueues: ['money', 'access', 'deliveries', 'mail', 'upkeep'],
    mailer: { send: () => Promise.resolve(true), close: () => undefined },
    processor: shop.processor,
    testDatabase: shop.database,
    ...steps,
  });
  stage.startDispatcher();
  stage.startPublisher();
  stage.startCloseEndpoints();
  await stage.startWorkers();
  for (const [name, run] of missing) {
    const story = await run(stage, shop);
    console.log(`${name}: ${await story.result()}`);
    await save(name, await stage.client.workflow.getHandle(story.workflowId).fetchHistory());
  }
  await stage.close();
}

/** Without the name of the machine that recorded it, which a worker's own queue bears too. */
async function save(name: string, history: Parameters<typeof historyToJSON>[0]): Promise<void> {
  const machine = /(?<="identity":\s*")[^"]*|(?<=")\d+@[^"]*/g;
  const text = historyToJSON(history).replaceAll(machine, 'recorder');
  await writeFile(fileOf(name), `${JSON.stringify(JSON.parse(text), null, 1)}\n`);
}

function fileOf(name: string): string {
  return join(HISTORIES, `${name}.json`);
}

await launch(async (launched) => {
  const engines = await startEngines(launched);
  process.env['GATEHOUSE_TEST_DATABASE_URL'] = engines.databaseUrl;
  process.env['GATEHOUSE_TEST_TEMPORAL_ADDRESS'] = engines.temporalAddress;
  await record();
  launched.end(0);
});
