import test from 'ava';
import type { Activities } from '../../activities/index.ts';
import type { WorkflowName } from '../../domain/outbox/workflow-targets.ts';
import { startTaskWorkers, type TaskWorkers } from '../../worker/workers.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { messageSignal } from '../../workflows/contracts.ts';
import {
  connectTemporal,
  temporalSettings,
  type TestTemporal,
} from '../support/engines/temporal.ts';

const TASK_QUEUE = 'access';

type Step = { activity: string; answer: unknown };

const delivery = {
  run: 1,
  step: 1,
  dueAt: null,
  remainingMs: 0,
  lastStatusCode: 503,
  lastError: null,
  productId: 'p',
  endpointId: 'e',
  eventName: 'purchase.completed',
  isEarly: false,
};
/** Each workflow finds its own id in it. */
const INPUT = {
  purchaseId: 'one',
  subscriptionId: 'one',
  membershipId: 'one',
  productId: 'one',
  personId: 'two',
  deliveryId: 'one',
  cohort: 'one',
  mailId: 'one',
  recoveryId: 'one',
  periodId: 'one',
  payoutId: 'one',
};
const ended = { status: 'ended', isOpen: false, waitMs: 0, waitsFor: '', personId: 'o' };

const payout = { amount: '12.50 EUR', attempts: 1, remainingMs: 0, isEarly: false, dueAt: null };

/** The activity that is the last one of a run, and what the run makes of a message that came meanwhile. */
const LAST: Record<WorkflowName, { last: Step; others?: Step[]; again: string }> = {
  purchaseClearing: {
    last: {
      activity: 'settlePurchase',
      answer: { status: 'cleared', productId: 'p', personId: 'o' },
    },
    again: 'settlePurchase',
  },
  subscriptionLifecycle: {
    last: { activity: 'settleSubscription', answer: { ...ended, productId: 'p' } },
    again: 'settleSubscription',
  },
  membershipLifecycle: {
    last: { activity: 'settleMembership', answer: ended },
    others: [{ activity: 'notifyActivatedProducts', answer: false }],
    again: 'settleMembership',
  },
  entitlementLifecycle: {
    last: { activity: 'settleEntitlement', answer: { isActive: false, remainingMs: null } },
    again: 'settleEntitlement',
  },
  webhookDelivery: {
    last: { activity: 'attemptDelivery', answer: { ...delivery, status: 'succeeded' } },
    others: [{ activity: 'readDelivery', answer: { ...delivery, status: 'retrying' } }],
    again: 'readDelivery',
  },
  deliveryCohort: {
    last: { activity: 'attemptCohort', answer: null },
    others: [{ activity: 'readCohort', answer: { ...delivery, open: 1, dead: 0 } }],
    again: 'readCohort',
  },
  poolPayout: {
    last: { activity: 'sendPoolPayout', answer: { ...payout, status: 'paid' } },
    others: [{ activity: 'readPoolPayout', answer: { ...payout, status: 'paying' } }],
    again: 'readPoolPayout',
  },
  sendMail: { last: { activity: 'sendMail', answer: { status: 'sent' } }, again: 'sendMail' },
  recoverDeliveries: {
    last: {
      activity: 'recoverBatch',
      answer: { status: 'completed', productId: 'p', done: 1, total: 1 },
    },
    again: 'recoverBatch',
  },
  listingImport: {
    last: {
      activity: 'readImport',
      answer: { status: 'ready', productId: 'p', remainingMs: 0, place: null },
    },
    again: 'readImport',
  },
  poolPeriod: {
    last: { activity: 'readPoolPeriod', answer: { status: 'paid', problem: null, sums: null } },
    again: 'readPoolPeriod',
  },
};

let temporal: TestTemporal;
let workers: TaskWorkers;

/** What an activity does meanwhile. */
let note: (step: Step) => Promise<unknown>;

test.before(async () => {
  temporal = await connectTemporal();
  const steps = Object.values(LAST).flatMap(({ last, others = [] }) => [last, ...others]);
  const stubs = steps.map((step) => [step.activity, () => note(step)]);
  workers = await startTaskWorkers({
    connection: temporal.connection,
    temporal: temporalSettings(temporal),
    activities: Object.fromEntries(stubs) as Activities,
    workflowBundle: await loadWorkflowBundle(),
    // Each worker knows all workflows, and each task queue costs a thread.
    taskQueues: [TASK_QUEUE],
  });
});
test.after.always(async () => {
  await workers?.stop();
  await temporal?.connection.close();
});

for (const workflowType of Object.keys(LAST) as WorkflowName[]) {
  test.serial(
    `a message that comes during the last step of a ${workflowType} is received`,
    async (t) => {
      const { client, prefix } = temporal;
      const { last, others = [], again } = LAST[workflowType];
      const workflowId = `${prefix}${workflowType}`;
      const calls: string[] = [];
      note = async ({ activity, answer }) => {
        calls.push(activity);
        const isFirst = calls.filter((each) => each === activity).length === 1;
        if (activity === last.activity && isFirst) {
          const late = { outboxId: 'late', kind: 'late' };
          await client.workflow.getHandle(workflowId).signal(messageSignal, late);
        }
        // What was read again says what the attempt has found.
        return activity === again && !isFirst ? last.answer : answer;
      };
      await client.workflow.execute(workflowType, {
        taskQueue: prefix + TASK_QUEUE,
        workflowId,
        args: [INPUT],
      });
      t.is(calls.filter((activity) => activity === again).length, 2);
      t.is(calls.at(-1), others.find(({ activity }) => activity !== again)?.activity ?? again);
    },
  );
}
