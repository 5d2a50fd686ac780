import test from 'ava';
import * as actors from '../../../domain/outbox/workflow-targets.ts';

const access = { productId: 'product', personId: 'person' };

const ROWS: [string, actors.WorkflowTarget, [string, string, object, number]][] = [
  [
    'a purchase',
    actors.purchaseWorkflow('pay_1'),
    ['purchaseClearing', 'purchase:pay_1', { purchaseId: 'pay_1' }, 1],
  ],
  [
    'a subscription',
    actors.subscriptionWorkflow('sub_1'),
    ['subscriptionLifecycle', 'subscription:sub_1', { subscriptionId: 'sub_1' }, 1],
  ],
  [
    'a membership',
    actors.membershipWorkflow('mem_1'),
    ['membershipLifecycle', 'membership:mem_1', { membershipId: 'mem_1' }, 1],
  ],
  [
    'an entitlement',
    actors.entitlementWorkflow(access),
    ['entitlementLifecycle', 'entitlement:product:person', access, 2],
  ],
  [
    'a delivery in trouble',
    actors.drivingWorkflow({ deliveryId: 'evt_1', cohort: null }),
    ['webhookDelivery', 'delivery:evt_1', { deliveryId: 'evt_1' }, 3],
  ],
  [
    'a delivery of a cohort',
    actors.drivingWorkflow({ deliveryId: 'evt_1', cohort: 'deliveries:endpoint:1' }),
    ['deliveryCohort', 'deliveries:endpoint:1', { cohort: 'deliveries:endpoint:1' }, 3],
  ],
  ['a mail', actors.mailWorkflow('mail_1'), ['sendMail', 'mail:mail_1', { mailId: 'mail_1' }, 4]],
  [
    'a recovery',
    actors.recoveryWorkflow('r'),
    ['recoverDeliveries', 'recovery:r', { recoveryId: 'r' }, 5],
  ],
  [
    'an import of a listing',
    actors.importWorkflow('i'),
    ['listingImport', 'import:i', { importId: 'i' }, 5],
  ],
  [
    'a month of the pool',
    actors.poolPeriodWorkflow('2026-11:EUR'),
    ['poolPeriod', 'pool:2026-11:EUR', { periodId: '2026-11:EUR' }, 5],
  ],
  [
    'a payout of the pool',
    actors.poolPayoutWorkflow('pool-2026-11-o-EUR'),
    ['poolPayout', 'pool-2026-11-o-EUR', { payoutId: 'pool-2026-11-o-EUR' }, 1],
  ],
];

for (const [what, actor, [workflowType, workflowId, input, priority]] of ROWS) {
  test(`${what} is one workflow, whose id is its address`, (t) => {
    t.deepEqual(actor, { workflowType, workflowId, input, priority } as actors.WorkflowTarget);
  });
}

test('money and access come before deliveries, mails and upkeep', (t) => {
  const { money, access, deliveries, mail, upkeep } = actors.PRIORITIES;
  const order = [money, access, deliveries, mail, upkeep];
  t.deepEqual(order, order.toSorted());
  t.is(new Set<number>(order).size, order.length);
});
