import test from 'ava';
import {
  deliveryActor,
  entitlementActor,
  mailActor,
  membershipActor,
  PRIORITIES,
  purchaseActor,
  recoveryActor,
  type Actor,
  type Priority,
} from '../../domain/outbox/actors.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { claimUnsent, markSent } from '../../domain/outbox/outbox.query.ts';
import { sendToActor, sendToActors } from '../../domain/outbox/outbox.repository.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { addBacklog } from '../support/webhooks/backlog.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
test.beforeEach(async () => void (await testDatabase.query('truncate outbox')));

const send = (...actors: Actor[]) =>
  database.transaction(async (em) => {
    for (const actor of actors) await sendToActor(em, actor, { kind: 'opened' });
  });

const claim = (priorities: Priority[] = Object.values(PRIORITIES), limit = 20) =>
  claimUnsent(database.pool, { priorities, limit });

const access = () => entitlementActor({ productId: newUuid(), personId: newUuid() });

test.serial('messages are claimed by priority, then in the order in which they came', async (t) => {
  const came = [
    recoveryActor(newUuid()),
    mailActor('m1'),
    deliveryActor('evt_2'),
    deliveryActor('evt_1'),
    access(),
    membershipActor('x'),
    purchaseActor('pay_1'),
  ];
  await send(...came);
  const [recovery, mail, second, first, entitlement, membership, purchase] = came;
  const inOrder = [membership, purchase, entitlement, second, first, mail, recovery];
  const claimed = await claim();
  t.deepEqual(
    claimed.map(({ workflowId }) => workflowId),
    inOrder.map((actor) => actor!.workflowId),
  );
  t.like(claimed[1], { ...purchaseActor('pay_1'), message: { kind: 'opened' } });
  t.deepEqual(await claim(), [], 'the lease keeps them from another publisher');
  await testDatabase.advance(11_000);
  t.is((await claim()).length, came.length);
});

test.serial('a purchase passes a thousand failed deliveries, and alone where asked', async (t) => {
  const deliveries = Array.from({ length: 1_000 }, (_, n) => deliveryActor(`evt_${n}`));
  await database.transaction((em) => sendToActors(em, deliveries, {}));
  await send(access(), purchaseActor('pay_1'));
  const [purchase, entitlement, ...others] = await claim([PRIORITIES.money, PRIORITIES.access]);
  t.is(purchase?.workflowType, 'purchaseClearing');
  t.is(entitlement?.workflowType, 'entitlementLifecycle');
  t.deepEqual(others, []);
  await markSent(database.pool, [purchase!.id, entitlement!.id]);
  await send(purchaseActor('pay_2'));
  const next = await claim(Object.values(PRIORITIES), 5);
  t.deepEqual(
    next.map(({ workflowId }) => workflowId),
    ['purchase:pay_2', ...deliveries.slice(0, 4).map(({ workflowId }) => workflowId)],
  );
});

test.serial('a sent or dead-lettered message is not claimed', async (t) => {
  await send(purchaseActor('pay_sent'), purchaseActor('pay_dead'));
  await testDatabase.query(
    `update outbox set sent_at = case when workflow_id = 'purchase:pay_sent' then now() end,
       dead_lettered_at = case when workflow_id = 'purchase:pay_dead' then now() end`,
  );
  t.deepEqual(await claim(), []);
});

test.serial('what happens for a product has its owner as its fairness key', async (t) => {
  const { productId, personId } = await addProduct(testDatabase);
  await addBacklog(testDatabase, { count: 1, status: 'retrying' });
  const [delivery] = await testDatabase.query<{ id: string; owner: string }>(
    `select delivery_id as id, coalesce(owner_team_id, owner_person_id)::text as owner
     from delivery_state join product on product.id = product_id`,
  );
  await send(
    membershipActor('x'),
    entitlementActor({ productId, personId: newUuid() }),
    deliveryActor(delivery!.id),
    mailActor('m1'),
  );
  t.deepEqual(
    (await claim()).map(({ fairnessKey }) => fairnessKey),
    [null, personId, delivery!.owner, null],
  );
});
