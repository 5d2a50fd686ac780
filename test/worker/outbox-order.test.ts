import test from 'ava';
import {
  deliveryWorkflow,
  entitlementWorkflow,
  mailWorkflow,
  membershipWorkflow,
  poolPayoutWorkflow,
  PRIORITIES,
  purchaseWorkflow,
  recoveryWorkflow,
  type WorkflowTarget,
  type Priority,
} from '../../domain/outbox/workflow-targets.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { claimUnsent } from '../../domain/outbox/outbox.query.ts';
import { sendToWorkflow, sendToWorkflows } from '../../domain/outbox/outbox.repository.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { addBacklog } from '../support/webhooks/backlog.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
test.beforeEach(async () => void (await testDatabase.query('truncate outbox')));

const send = (...actors: WorkflowTarget[]) =>
  database.transaction(async (em) => {
    for (const actor of actors) await sendToWorkflow(em, actor, { kind: 'opened' });
  });

const { money, deliveries: ofDeliveries, mail: ofMails, upkeep, access: ofAccess } = PRIORITIES;

const claim = (most?: Partial<Record<Priority, number>>) =>
  claimUnsent(
    database.pool,
    most ?? { [money]: 20, [ofAccess]: 20, [ofDeliveries]: 20, [ofMails]: 20, [upkeep]: 20 },
  );

const access = () => entitlementWorkflow({ productId: newUuid(), personId: newUuid() });

test.serial('messages are claimed by priority, then in the order in which they came', async (t) => {
  const came = [
    recoveryWorkflow(newUuid()),
    mailWorkflow('m1'),
    deliveryWorkflow('evt_2'),
    deliveryWorkflow('evt_1'),
    access(),
    membershipWorkflow('x'),
    purchaseWorkflow('pay_1'),
  ];
  await send(...came);
  const [recovery, mail, second, first, entitlement, membership, purchase] = came;
  const inOrder = [membership, purchase, entitlement, second, first, mail, recovery];
  const claimed = await claim();
  t.deepEqual(
    claimed.map(({ workflowId }) => workflowId),
    inOrder.map((actor) => actor!.workflowId),
  );
  t.like(claimed[1], { ...purchaseWorkflow('pay_1'), message: { kind: 'opened' } });
  t.deepEqual(await claim(), [], 'the lease keeps them from another publisher');
  await testDatabase.advance(11_000);
  t.is((await claim()).length, came.length);
});

test.serial('a thousand failed deliveries delay no message of another priority', async (t) => {
  const deliveries = Array.from({ length: 1_000 }, (_, n) => deliveryWorkflow(`evt_${n}`));
  await database.transaction((em) => sendToWorkflows(em, deliveries, {}));
  await send(recoveryWorkflow(newUuid()), mailWorkflow('m1'), access(), purchaseWorkflow('pay_1'));
  const claimed = await claim({ [money]: 5, [ofAccess]: 5, [ofDeliveries]: 3, [ofMails]: 5 });
  t.deepEqual(
    claimed.map(({ workflowType }) => workflowType),
    ['purchaseClearing', 'entitlementLifecycle', ...Array(3).fill('webhookDelivery'), 'sendMail'],
  );
  await send(purchaseWorkflow('pay_2'));
  const next = await claim({ [upkeep]: 2, [money]: 2, [ofDeliveries]: 0 });
  t.deepEqual(
    next.map(({ workflowType }) => workflowType),
    ['purchaseClearing', 'recoverDeliveries'],
  );
});

test.serial('a sent or dead-lettered message is not claimed', async (t) => {
  await send(purchaseWorkflow('pay_sent'), purchaseWorkflow('pay_dead'));
  await testDatabase.query(
    `update outbox set sent_at = case when workflow_id = 'purchase:pay_sent' then now() end,
       dead_lettered_at = case when workflow_id = 'purchase:pay_dead' then now() end`,
  );
  t.deepEqual(await claim(), []);
});

test.serial(
  'what happens for a product, and a payout, has its owner as its fairness key',
  async (t) => {
    const { productId, personId } = await addProduct(testDatabase);
    await addBacklog(testDatabase, { count: 1, status: 'retrying' });
    const [delivery] = await testDatabase.query<{ id: string; owner: string }>(
      `select delivery_id as id, coalesce(owner_team_id, owner_person_id)::text as owner
     from delivery_state join product on product.id = product_id`,
    );
    await testDatabase.query(
      `insert into pool_period (id, month, currency, rule, encrypted_key, freeze_due_at)
       values ('2026-10:USD', '2026-10-01', 'USD', 'user-centric-1', 'encrypted', now())`,
    );
    await testDatabase.query(
      `insert into pool_payout (id, period_id, person_id, currency, amount_minor, account)
     values ('pool-payout', '2026-10:USD', $1, 'USD', 100, 'acct_1')`,
      [personId],
    );
    await send(
      membershipWorkflow('x'),
      poolPayoutWorkflow('pool-payout'),
      entitlementWorkflow({ productId, personId: newUuid() }),
      deliveryWorkflow(delivery!.id),
      mailWorkflow('m1'),
    );
    t.deepEqual(
      (await claim()).map(({ fairnessKey }) => fairnessKey),
      [null, personId, personId, delivery!.owner, null],
    );
  },
);
