import test from 'ava';
import type { Activities } from '../../activities/index.ts';
import type { ActorName } from '../../domain/outbox/actors.ts';
import { startTaskWorkers } from '../../worker/workers.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { ACTOR_TYPES, messageSignal, TASK_QUEUES } from '../../workflows/contracts.ts';
import { connectTemporal, type TestTemporal } from '../support/engines/temporal.ts';

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
const LAST: Record<ActorName, { last: Step; others?: Step[]; again: string }> = {
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
  poolPeriod: {
    last: { activity: 'readPoolPeriod', answer: { status: 'paid', problem: null, sums: null } },
    again: 'readPoolPeriod',
  },
};

let temporal: TestTemporal;
test.before(async () => {
  temporal = await connectTemporal();
});
test.after.always(() => temporal?.connection.close());

for (const workflowType of Object.keys(LAST) as ActorName[]) {
  test.serial(
    `a message that comes during the last step of a ${workflowType} is received`,
    async (t) => {
      const { client, connection, address } = temporal;
      const prefix = `${temporal.prefix}${workflowType}-`;
      const { last, others = [], again } = LAST[workflowType];
      const workflowId = `${prefix}one`;
      const calls: string[] = [];
      const note = async ({ activity, answer }: Step) => {
        calls.push(activity);
        const isFirst = calls.filter((each) => each === activity).length === 1;
        if (activity === last.activity && isFirst) {
          const late = { outboxId: 'late', kind: 'late' };
          await client.workflow.getHandle(workflowId).signal(messageSignal, late);
        }
        // What was read again says what the attempt has found.
        return activity === again && !isFirst ? last.answer : answer;
      };
      const stubs = [last, ...others].map((step) => [step.activity, () => note(step)]);
      const { taskQueue } = ACTOR_TYPES[workflowType];
      const workers = await startTaskWorkers({
        connection,
        temporal: {
          address,
          namespace: 'default',
          taskQueuePrefix: prefix,
          uiUrl: undefined,
          tls: undefined,
          apiKey: undefined,
        },
        activities: Object.fromEntries(stubs) as Activities,
        workflowBundle: await loadWorkflowBundle(),
        taskQueues: TASK_QUEUES.filter((queue) => queue === taskQueue),
      });
      t.teardown(() => workers.stop());
      await client.workflow.execute(workflowType, {
        taskQueue: prefix + taskQueue,
        workflowId,
        args: [INPUT],
      });
      t.is(calls.filter((activity) => activity === again).length, 2);
      t.is(calls.at(-1), others.find(({ activity }) => activity !== again)?.activity ?? again);
    },
  );
}
