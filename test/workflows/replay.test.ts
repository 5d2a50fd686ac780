import { Worker } from '@temporalio/worker';
import test from 'ava';
import { waitAfterMs } from '../../domain/pool/payout-lines/transfer-schedule.ts';
import { waitBeforeMs } from '../../domain/webhooks/deliveries/retry-schedule.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { responsesIn, readRecordedRuns } from '../support/workflows/histories.ts';
import { bundleEach } from '../support/workflows/tampered.ts';
import { quietRuntime, timersIn } from '../support/engines/temporal.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const runs = readRecordedRuns();
const find = (name: string) => runs.find((run) => run.name === name)!;

/** What went wrong in the replay of each run, by its name. One worker replays them all. */
const replayed = new Map<string, Error | undefined>();

test.before(async () => {
  quietRuntime();
  const histories = runs.map(({ name: workflowId, history }) => ({ workflowId, history }));
  const workflowBundle = await loadWorkflowBundle();
  const results = Worker.runReplayHistories({ workflowBundle }, histories);
  for await (const { workflowId, error } of results) replayed.set(workflowId, error);
});

for (const { name, workflowType } of runs) {
  test(`today's ${workflowType} replays "${name}"`, (t) => {
    t.true(replayed.has(name));
    t.is(replayed.get(name), undefined);
  });
}

const RESULTS = {
  'delivery-dead-after-five-retries': 'dead',
  'delivery-succeeded-at-the-second-retry': 'succeeded',
  'delivery-succeeded-at-the-first-retry': 'succeeded',
  'delivery-succeeded-at-the-third-retry': 'succeeded',
  'delivery-succeeded-at-the-fourth-retry': 'succeeded',
  'delivery-succeeded-at-the-fifth-retry': 'succeeded',
  'delivery-cancelled-by-a-deleted-endpoint': 'cancelled',
  'delivery-begun-from-its-message': 'held',
  'delivery-retried-by-an-operator': 'succeeded',
  'delivery-retried-twice-by-an-operator': 'succeeded',
  'delivery-sent-again-after-a-success': 'succeeded',
  'delivery-retried-now-by-an-update': 'succeeded',
  'cohort-retried-now-by-an-update': 'finished',
  'delivery-held-by-a-disabled-endpoint': 'held',
  'cohort-dead-after-five-retries': 'dead',
  'cohort-finished-at-the-second-retry': 'finished',
  'cohort-ended-by-a-disabled-endpoint': 'finished',
  'mail-sent': 'sent',
  'deliveries-recovered-in-three-batches': 'completed',
  'import-of-a-page': 'ready',
  'import-applied-with-two-pictures': 'applied',
  'import-of-a-repository-that-waited': 'ready',
  'purchase-cleared': 'cleared',
  'purchase-declined': 'failed',
  'purchase-abandoned': 'canceled',
  'purchase-refunded': 'refunded',
  'purchase-refund-arrived-after-three-days': 'refunded',
  'purchase-found-clearing-by-reconciliation': 'cleared',
  'pool-period-empty': 'empty',
  'pool-period-approved-and-paid': 'paid',
  'pool-period-approved-by-an-update': 'paid',
  'pool-period-stopped-before-it-was-computed': 'paid',
  'pool-period-previewed-twice': 'empty',
  'pool-period-with-a-held-product': 'paid',
  'pool-period-with-a-late-refund': 'paid',
  'payout-paid': 'paid',
  'payout-retried-twice': 'paid',
  'payout-retried-now-by-an-update': 'paid',
  'payout-refused-by-a-closed-account': 'failed',
  'payout-given-up-after-its-last-attempt': 'failed',
  'payout-ended-by-an-operator': 'paid',
  'entitlement-expired-after-60-days': 'inactive',
  'subscription-renewed-twice-then-cancelled': 'ended',
  'subscription-resumed-before-its-end': 'ended',
  'subscription-ended-after-grace': 'ended',
  'subscription-cancelled-by-an-operators-update': 'ended',
  'membership-renewed-then-cancelled-and-over': 'ended',
  'membership-lapsed-after-grace': 'ended',
};

test('every workflow that waits or goes batch by batch has a recorded run, and each ended as its name says', (t) => {
  t.deepEqual([...new Set(runs.map(({ workflowType }) => workflowType))].sort(), [
    'deliveryCohort',
    'entitlementLifecycle',
    'listingImport',
    'membershipLifecycle',
    'poolPayout',
    'poolPeriod',
    'purchaseClearing',
    'reconcile',
    'recoverDeliveries',
    'sealReview',
    'sendMail',
    'subscriptionLifecycle',
    'upkeep',
    'webhookDelivery',
  ]);
  for (const [name, result] of Object.entries(RESULTS)) t.is(find(name).result, result, name);
  t.deepEqual(find('reconcile-asked-two-batches').result, { asked: 101, adopted: 0 });
  const nothing = { rateWindows: 0, sessions: 0, authorizations: 0 };
  t.deepEqual(find('upkeep-in-one-call').result, nothing);
  t.deepEqual(find('upkeep-of-many-messages').result, nothing);
  const ofSeals = { after: null, earned: 0, noticed: 0, lost: 0 };
  t.like(find('seal-earned-in-the-second-week').result, { ...ofSeals, earned: 1 });
  t.like(find('seal-noticed-after-two-failures').result, { ...ofSeals, noticed: 1 });
  t.like(find('seal-lost-after-60-days-of-notice').result, { ...ofSeals, lost: 1 });
  t.like(find('seal-reviewed-page-by-page').result, { ...ofSeals, reviewed: 104 });
});

test('a recorded month is held or corrected in what its activities answered too', (t) => {
  t.regex(responsesIn(find('pool-period-with-a-held-product')), /"listed":1,"payouts":1/);
  // One Member paid 49.00 for the month; 20.00 of the month before went back.
  t.regex(responsesIn(find('pool-period-with-a-late-refund')), /Members 1, .*; fees 29\.00 DKK/);
});

// A replay does not see a changed duration: the recorded timers do. Each is a moment shorter
// than its wait, by what passed between the database's answer and the timer's start.
const WAITS: [string, number[]][] = [
  ['delivery-dead-after-five-retries', [1, 2, 3, 4, 5].map((step) => waitBeforeMs(step)!)],
  ['delivery-succeeded-at-the-second-retry', [1, 2].map((step) => waitBeforeMs(step)!)],
  ['delivery-succeeded-at-the-first-retry', [waitBeforeMs(1)!]],
  ['delivery-succeeded-at-the-third-retry', [1, 2, 3].map((step) => waitBeforeMs(step)!)],
  ['delivery-succeeded-at-the-fourth-retry', [1, 2, 3, 4].map((step) => waitBeforeMs(step)!)],
  ['delivery-succeeded-at-the-fifth-retry', [1, 2, 3, 4, 5].map((step) => waitBeforeMs(step)!)],
  ['delivery-cancelled-by-a-deleted-endpoint', [1, 2].map((step) => waitBeforeMs(step)!)],
  ['delivery-begun-from-its-message', [1, 2].map((step) => waitBeforeMs(step)!)],
  // The attempt at once waits for nothing; then the schedule begins anew.
  ['delivery-retried-by-an-operator', [1, 2, 3, 4].map((step) => waitBeforeMs(step)!)],
  ['delivery-retried-twice-by-an-operator', []],
  ['cohort-dead-after-five-retries', [1, 2, 3, 4, 5].map((step) => waitBeforeMs(step)!)],
  ['cohort-finished-at-the-second-retry', [1, 2].map((step) => waitBeforeMs(step)!)],
  ['cohort-ended-by-a-disabled-endpoint', [waitBeforeMs(1)!]],
  ['import-of-a-page', []],
  ['import-of-a-repository-that-waited', [10 * 60_000]],
  ['payout-paid', []],
  ['payout-retried-twice', [1, 2].map((attempts) => waitAfterMs(attempts)!)],
  ['payout-given-up-after-its-last-attempt', [waitAfterMs(1)!, DAY_MS]],
  ['entitlement-expired-after-60-days', [60 * DAY_MS]],
  ['entitlement-end-moved-on-day-29', [30 * DAY_MS, 60 * DAY_MS]],
  ['purchase-abandoned', [24 * HOUR_MS + 60_000]],
  ['purchase-refund-arrived-after-three-days', [6 * HOUR_MS]],
  ['purchase-found-clearing-by-reconciliation', [6 * HOUR_MS]],
  // A month of 28 days and what the processor may take; then the day that the mail waits.
  ['subscription-ended-after-grace', [28 * DAY_MS + 2 * HOUR_MS, 25 * HOUR_MS]],
  [
    'subscription-resumed-before-its-end',
    [28 * DAY_MS + 2 * HOUR_MS, 28 * DAY_MS + 60_000, 28 * DAY_MS + 2 * HOUR_MS],
  ],
];

for (const [name, waits] of WAITS) {
  test(`the timers of "${name}" were as long as decided`, (t) => {
    const timers = timersIn(find(name).history);
    t.is(timers.length, waits.length);
    for (const [index, wait] of waits.entries()) {
      t.true(
        timers[index]! <= wait && timers[index]! > wait - 2_000,
        `${timers[index]} of ${wait}`,
      );
    }
  });
}

const CHANGES: { title: string; run: string; file: string; change: [string, string] }[] = [
  {
    title: 'an activity that was swapped',
    run: 'delivery-succeeded-at-the-second-retry',
    file: 'webhooks/webhook-delivery.ts',
    change: ['deliveries.attemptDelivery.', 'records.readDelivery.'],
  },
  {
    title: 'a reading before the first wait',
    run: 'delivery-begun-from-its-message',
    file: 'webhooks/webhook-delivery.ts',
    change: ['factsOf(received)) ??', 'undefined) ??'],
  },
  {
    title: 'a cohort that attempts before it waits',
    run: 'cohort-finished-at-the-second-retry',
    file: 'retries/attempt-when-due.ts',
    change: ['!(await signals.wait(retry.waitMs, retry.summary))', 'true'],
  },
  {
    title: 'a cohort that does not read its rows first',
    run: 'cohort-ended-by-a-disabled-endpoint',
    file: 'webhooks/delivery-cohort.ts',
    change: [
      'let cohort = await records.readCohort(',
      'let cohort = await deliveries.attemptCohort(',
    ],
  },
  {
    title: 'a month that is computed without being frozen',
    run: 'pool-period-approved-and-paid',
    file: 'pool/pool-period.ts',
    change: ['await pools.freezePool(', 'await pools.computePool('],
  },
  {
    title: 'a month that pays before it is approved',
    run: 'pool-period-approved-by-an-update',
    file: 'pool/pool-period.ts',
    change: [': STEPS[status]', ": STEPS[status === 'in_review' ? 'approved' : status]"],
  },
  {
    title: 'a payout that is attempted before its row is read',
    run: 'payout-paid',
    file: 'pool/pool-payout.ts',
    change: [
      'let payout = await records.readPoolPayout(',
      'let payout = await processor.sendPoolPayout(',
    ],
  },
  {
    title: 'an import that fetches before its row is read',
    run: 'import-of-a-page',
    file: 'listing-import.ts',
    change: [
      'const row = await records.readImport',
      'await imports.fetchImport(input);\n    const row = await records.readImport',
    ],
  },
  {
    title: 'a timer that was dropped',
    run: 'entitlement-expired-after-60-days',
    file: 'entitlements/entitlement-lifecycle.ts',
    change: ['await signals.wait(remainingMs ?? 0, details);', ''],
  },
];

/** Made once, when the first test asks for it. */
let tampered: Promise<{ code: string }[]> | undefined;

for (const [index, { title, run }] of CHANGES.entries()) {
  test(`the replay notices ${title}`, async (t) => {
    tampered ??= bundleEach(CHANGES);
    const workflowBundle = (await tampered)[index]!;
    const { history } = find(run);
    const replay = Worker.runReplayHistory({ workflowBundle }, history, run);
    const error = await t.throwsAsync(replay);
    t.regex(String(error), /DeterminismViolation|[Nn]ondeterminism/);
  });
}

// The bundler refuses most built-ins of Node, and swallows a storage library without a word.
const FOREIGN =
  /^node:|@mikro-orm|node_modules\/(koa|pg|zod|undici|pino)\/|\.(entity|repository|query|schema)\.ts|^\.\/(api|activities|worker|clients|dev)\//;

test('the bundle carries no storage, no HTTP and no shapes of the wire into the sandbox', async (t) => {
  const { code } = await loadWorkflowBundle();
  const modules = [...code.matchAll(/^\/\*{3}\/ "([^"]+)"$/gm)].map(([, name]) => name!);
  t.true(modules.some((name) => name.endsWith('domain/webhooks/deliveries/retry-schedule.ts')));
  t.true(modules.some((name) => name.endsWith('workflows/webhooks/webhook-delivery.ts')));
  t.deepEqual(
    modules.filter((name) => FOREIGN.test(name)),
    [],
  );
});

test('the bundle maps stacks to the sources without carrying them', async (t) => {
  const { code } = await loadWorkflowBundle();
  const [, encoded] = /sourceMappingURL=data:[^,]*;base64,(\S+)\s*$/.exec(code) ?? [];
  const map = JSON.parse(Buffer.from(encoded!, 'base64').toString());
  t.true(
    map.sources.some((name: string) => name.endsWith('workflows/webhooks/webhook-delivery.ts')),
  );
  t.true(map.mappings.length > 0);
  t.is(map.sourcesContent, undefined);
});
