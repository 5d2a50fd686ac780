import test from 'ava';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import * as workflows from '../../../workflows/index.ts';
import {
  ENTITY_WORKFLOWS,
  FAILING,
  onTaskQueues,
  RUNNING,
  SCHEDULES,
  TASK_QUEUES,
  WORKFLOW_TYPES,
} from '../../../workflows/contracts.ts';
import { openSandbox } from '../../support/workflows/sandbox.ts';

const PINNED = [
  'deliveryCohort',
  'ledgerCheck',
  'listingImport',
  'poolMonths',
  'reconcile',
  'recoverDeliveries',
  'referenceCheck',
  'salesDigest',
  'sealReview',
  'sendMail',
  'sweep',
  'upkeep',
  'webhookDelivery',
];
const ENTITIES = [
  'entitlementLifecycle',
  'membershipLifecycle',
  'poolPeriod',
  'poolPayout',
  'purchaseClearing',
  'subscriptionLifecycle',
];

test('with a version, what is over soon is pinned to its build; without one nothing is said', async (t) => {
  t.deepEqual(Object.keys(workflows).toSorted(), [...PINNED, ...ENTITIES].toSorted());
  const bundle = await loadWorkflowBundle();
  const versioned = await openSandbox(bundle, { deploymentName: 'gatehouse', buildId: 'one' });
  const unversioned = await openSandbox(bundle);
  for (const type of Object.keys(workflows)) {
    t.is((await versioned.start(type, [{}])).isPinned(), PINNED.includes(type), type);
    t.false((await unversioned.start(type, [{}])).isPinned(), type);
  }
});

for (const type of Object.keys(ENTITY_WORKFLOWS)) {
  test(`a signal of an operator makes ${type} read its row, whatever its input is, or without any`, async (t) => {
    const { start } = await openSandbox(await loadWorkflowBundle());
    const isReading = (asked: object[]) => asked.some((each) => 'activity' in each);
    const odd = [undefined, null, 'asked', 7, [], {}, { kind: { toString: 1 } }, { delivery: 'x' }];
    for (const input of odd) t.true(isReading((await start(type, [{}], [input])).asked()));
    const run = await start(type, [{}]);
    await t.notThrowsAsync(run.signal(...odd));
  });
}

test('each entity workflow has its task queue, and a summary that operators can search by eye', (t) => {
  const input = {
    purchaseId: 'pay_1',
    subscriptionId: 'sub_1',
    membershipId: 'mem_1',
    productId: 'p',
    personId: 'o',
    deliveryId: 'evt_1',
    cohort: 'deliveries:e:1',
    mailId: 'mail_1',
    recoveryId: 'r',
    importId: 'i',
    periodId: '2026-11:EUR',
    payoutId: 'pool-2026-11-o-EUR',
  };
  const seen = Object.entries(ENTITY_WORKFLOWS).map(([name, { taskQueue, summarize }]) => [
    name,
    [taskQueue, summarize(input as never)],
  ]);
  t.deepEqual(Object.fromEntries(seen), {
    purchaseClearing: ['money', 'Purchase pay_1'],
    subscriptionLifecycle: ['money', 'Subscription sub_1'],
    membershipLifecycle: ['money', 'Membership mem_1'],
    entitlementLifecycle: ['access', 'Access of person o to product p'],
    webhookDelivery: ['deliveries', 'Retries of an event to an endpoint: evt_1'],
    deliveryCohort: ['deliveries', 'Retries of many webhook deliveries: deliveries:e:1'],
    sendMail: ['mail', 'Mail mail_1'],
    recoverDeliveries: ['upkeep', 'Recovery r of webhook deliveries'],
    listingImport: ['upkeep', 'Import i for a listing'],
    poolPeriod: ['upkeep', 'Creator pool of 2026-11:EUR'],
    poolPayout: ['money', 'Payout pool-2026-11-o-EUR of the creator pool'],
  });
  t.deepEqual([...TASK_QUEUES], ['money', 'access', 'deliveries', 'mail', 'upkeep']);
});

test('each scheduled workflow has its queue, its time and a summary', (t) => {
  t.deepEqual(SCHEDULES as readonly object[], [
    {
      workflowType: 'upkeep',
      taskQueue: 'upkeep',
      everyMinutes: 10,
      summary: 'Removes what is over',
    },
    {
      workflowType: 'reconcile',
      taskQueue: 'money',
      everyMinutes: 5,
      summary: 'Asks the processor about what has waited too long',
    },
    {
      workflowType: 'sweep',
      taskQueue: 'upkeep',
      everyMinutes: 5,
      summary: 'Wakes the workflows of what is overdue',
    },
    {
      workflowType: 'salesDigest',
      taskQueue: 'mail',
      everyMinutes: 60,
      summary: 'Mails sellers about busy days that are over',
    },
    {
      workflowType: 'poolMonths',
      taskQueue: 'upkeep',
      atHour: 2,
      summary: 'Opens the periods of the creator pool',
    },
    {
      workflowType: 'ledgerCheck',
      taskQueue: 'money',
      atHour: 3,
      summary: 'Adds up each currency of the ledger',
    },
    {
      workflowType: 'referenceCheck',
      taskQueue: 'upkeep',
      atHour: 4,
      summary: 'Looks for references to missing rows',
    },
    {
      workflowType: 'sealReview',
      taskQueue: 'upkeep',
      onDay: 'MONDAY',
      atHour: 4,
      summary: 'Reviews the quality seal of every listed product',
    },
  ]);
});

test('lists of workflows name every type, and ask Temporal for open runs of one installation', (t) => {
  t.deepEqual(WORKFLOW_TYPES.toSorted(), [...PINNED, ...ENTITIES].toSorted());
  t.is(RUNNING, 'ExecutionStatus = "Running"');
  t.is(FAILING, 'ExecutionStatus = "Running" AND TemporalReportedProblems IS NOT NULL');
  t.is(
    onTaskQueues('one-'),
    'TaskQueue IN ("one-money", "one-access", "one-deliveries", "one-mail", "one-upkeep")',
  );
});
