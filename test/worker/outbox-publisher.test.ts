import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import test from 'ava';
import { startPublisher } from '../../worker/outbox-publisher.ts';
import { openClient } from '../../worker/workers.ts';
import { sendToWorkflow, sendToWorkflows } from '../../domain/outbox/outbox.repository.ts';
import {
  deliveryWorkflow,
  entitlementWorkflow,
  purchaseWorkflow,
} from '../../domain/outbox/workflow-targets.ts';
import { createLogger } from '../../platform/log.ts';
import { newPublicId, newUuid } from '../../domain/shared/ids.ts';
import { addProduct } from '../support/catalog/scene.ts';
import { eventually } from '../support/eventually.ts';
import { startProxy, type Proxy } from '../support/http/proxy.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

type OutboxRow = {
  sent_at: Date | null;
  refusals: number;
  dead_lettered_at: Date | null;
  last_error: string | null;
};

let stage: Stage;
let proxy: Proxy;
let behindProxy: ReturnType<typeof openClient>;

test.before(async () => {
  stage = await openStage({ taskQueues: ['money'] });
  const [host, port] = stage.address.split(':');
  proxy = await startProxy({ host: host!, port: Number(port) });
  behindProxy = openClient({ address: `127.0.0.1:${proxy.port}`, namespace: 'default' });
});
test.after.always(async () => {
  await stage?.close();
  await behindProxy?.close();
  await proxy?.close();
});

const send = (actor = purchaseWorkflow(newPublicId('pay_'))) =>
  stage.database
    .transaction((em) => sendToWorkflow(em, actor, { kind: 'opened' }))
    .then(() => actor.workflowId);

async function readRow(workflowId: string): Promise<OutboxRow> {
  const sql = 'select * from outbox where workflow_id = $1';
  return (await stage.testDatabase.query<OutboxRow>(sql, [workflowId]))[0]!;
}

/** Until all messages of a workflow are sent. */
function untilSent(workflowId: string) {
  const sql = 'select from outbox where workflow_id = $1 and sent_at is null';
  return eventually(
    () => stage.testDatabase.query(sql, [workflowId]),
    (unsent) => unsent.length === 0,
  );
}

/** gRPC's error of a workflow that takes no more signals for now. */
const exhausted = () =>
  Object.assign(new Error('8 RESOURCE_EXHAUSTED: busy'), {
    code: 8,
    details: 'busy',
    metadata: new Map(),
  });

const describe = (workflowId: string) => stage.client.workflow.getHandle(workflowId).describe();

async function signalsOf(workflowId: string): Promise<unknown[]> {
  const { events } = await stage.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
    signal ? defaultPayloadConverter.fromPayload(signal.input!.payloads![0]!) : [],
  );
}

test.serial(
  'a message waits while Temporal is away and counts no refusal, then it is sent',
  async (t) => {
    const { client } = behindProxy;
    const { database, prefix: taskQueuePrefix } = stage;
    const logged: string[] = [];
    const output = { write: (line: string) => void logged.push(line) };
    const logger = createLogger({ name: 'test', format: 'json', level: 'warn', output });
    proxy.cut();
    const baseUrl = 'http://localhost:1';
    const parts = { database, client, taskQueuePrefix, baseUrl, logger, workflowStartsPerS: 50 };
    const publisher = startPublisher(parts);
    t.teardown(() => publisher.stop());
    const workflowId = await send();
    const isFailing = () => logged.some((line) => line.includes('the outbox cannot be published'));
    await eventually(isFailing, (is) => is);
    await eventually(
      () =>
        stage.testDatabase.query(
          `select from outbox where lease_until is not null and workflow_id = $1`,
          [workflowId],
        ),
      (leased) => leased.length === 0,
    );
    t.like(await readRow(workflowId), { sent_at: null, refusals: 0, dead_lettered_at: null });
    proxy.restore();
    await untilSent(workflowId);
    await publisher.stop();
    t.is((await signalsOf(workflowId)).length, 1);
    const description = await describe(workflowId);
    t.is(description.type, 'purchaseClearing');
    t.is(description.taskQueue, `${stage.prefix}money`);
    t.is(description.priority?.priorityKey, 1);
  },
);

test.serial('what happens for a product runs under the fairness key of its owner', async (t) => {
  const { productId, personId } = await addProduct(stage.testDatabase);
  const access = entitlementWorkflow({ productId, personId: newUuid() });
  const publisher = stage.startPublisher();
  const workflowId = await send(access);
  await untilSent(workflowId);
  await publisher.stop();
  t.like((await describe(workflowId)).priority, { priorityKey: 2, fairnessKey: personId });
});

test.serial('the limit of starts holds deliveries back, never a purchase', async (t) => {
  const deliveries = Array.from({ length: 30 }, () => deliveryWorkflow(newPublicId('evt_')));
  await stage.database.transaction((em) => sendToWorkflows(em, deliveries, { kind: 'retry' }));
  const publisher = stage.startPublisher({ workflowStartsPerS: 2 });
  for (let n = 0; n < 3; n += 1) await untilSent(await send());
  const unsent = `select from outbox where priority = 3 and sent_at is null`;
  t.true((await stage.testDatabase.query(unsent)).length > 20);
  await publisher.stop();
  await stage.testDatabase.query(`delete from outbox where priority = 3`);
});

test.serial('messages of one workflow arrive in their order', async (t) => {
  const actor = purchaseWorkflow(newPublicId('pay_'));
  const kinds = Array.from({ length: 12 }, (_, n) => `message ${n}`);
  await stage.database.transaction(async (em) => {
    for (const kind of kinds) await sendToWorkflow(em, actor, { kind });
  });
  const publisher = stage.startPublisher();
  await untilSent(actor.workflowId);
  await publisher.stop();
  const kindOf = (message: unknown) => (message as { kind: string }).kind;
  t.deepEqual((await signalsOf(actor.workflowId)).map(kindOf), kinds);
});

test.serial('several publishers send each message once', async (t) => {
  const publishers = [1, 2, 3].map(() => stage.startPublisher());
  const ids = await Promise.all(Array.from({ length: 30 }, () => send()));
  for (const id of ids) await untilSent(id);
  await Promise.all(publishers.map((publisher) => publisher.stop()));
  t.deepEqual(
    (await Promise.all(ids.map(signalsOf))).map(({ length }) => length),
    ids.map(() => 1),
  );
});

test.serial('a busy workflow waits alone, while others are sent without a pause', async (t) => {
  const busy = purchaseWorkflow(newPublicId('pay_'));
  const { client, database, prefix: taskQueuePrefix } = stage;
  const workflow: Pick<Client['workflow'], 'signalWithStart'> = {
    signalWithStart(type, options) {
      if (options.workflowId === busy.workflowId) return Promise.reject(exhausted());
      return client.workflow.signalWithStart(type, options);
    },
  };
  const logged: string[] = [];
  const output = { write: (line: string) => void logged.push(line) };
  const logger = createLogger({ name: 'test', format: 'json', level: 'warn', output });
  const passing = purchaseWorkflow(newPublicId('pay_'));
  await database.transaction(async (em) => {
    await sendToWorkflow(em, busy, { kind: 'opened' });
    await sendToWorkflow(em, busy, { kind: 'cleared' });
    await sendToWorkflow(em, passing, { kind: 'opened' });
  });
  const publisher = startPublisher({
    database,
    client: { connection: client.connection, workflow } as unknown as Client,
    taskQueuePrefix,
    baseUrl: 'http://localhost:1',
    logger,
    workflowStartsPerS: 50,
  });
  t.teardown(() => publisher.stop());
  await untilSent(passing.workflowId);
  const rows = await eventually(
    () =>
      stage.testDatabase.query<{ refusals: number; isLeased: boolean }>(
        `select refusals, lease_until is not null as "isLeased" from outbox
         where workflow_id = $1 order by id`,
        [busy.workflowId],
      ),
    () => logged.some((line) => line.includes('Temporal took other messages')),
  );
  t.deepEqual(rows, [
    { refusals: 0, isLeased: true },
    { refusals: 0, isLeased: true },
  ]);
  t.false(logged.some((line) => line.includes('the outbox cannot be published')));
  await publisher.stop();
  await stage.testDatabase.query('delete from outbox where workflow_id = $1', [busy.workflowId]);
});

test.serial(
  'a message that Temporal refuses for its own sake is dead-lettered after ten refusals; others pass',
  async (t) => {
    const publisher = stage.startPublisher();
    const refused = await send({
      ...purchaseWorkflow('too-long'),
      workflowId: `purchase:${'x'.repeat(2_000)}`,
    });
    for (let refusals = 1; refusals <= 10; refusals += 1) {
      await eventually(
        () => readRow(refused),
        (row) => row.refusals === refusals,
      );
      await stage.testDatabase.advance(11_000); // the pause before the next try
      publisher.wake();
    }
    t.not((await readRow(refused)).dead_lettered_at, null);
    const told = `select 1 from alert where kind = 'message_dead_lettered' and resolved_at is null`;
    t.is((await stage.testDatabase.query(told)).length, 1);
    const passing = await send();
    await untilSent(passing);
    t.is((await readRow(refused)).refusals, 10);
    await publisher.stop();
  },
);
