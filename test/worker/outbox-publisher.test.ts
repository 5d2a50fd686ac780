import test from 'ava';
import { startRelay } from '../../worker/outbox-publisher.ts';
import { openClient } from '../../worker/workers.ts';
import { sendToActor } from '../../domain/outbox/outbox.repository.ts';
import { purchaseActor } from '../../domain/outbox/actors.ts';
import { newPublicId } from '../../domain/shared/ids.ts';
import { eventually } from '../support/eventually.ts';
import { startProxy, type Proxy } from '../support/http/proxy.ts';
import { openStage, type Stage } from '../support/engines/worker.ts';

type OutboxRow = {
  sent_at: Date | null;
  refusals: number;
  parked_at: Date | null;
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

const send = (actor = purchaseActor(newPublicId('pay_'))) =>
  stage.database
    .transaction((em) => sendToActor(em, actor, { kind: 'opened' }))
    .then(() => actor.workflowId);

async function readRow(workflowId: string): Promise<OutboxRow> {
  const sql = 'select * from outbox where workflow_id = $1';
  return (await stage.testDatabase.query<OutboxRow>(sql, [workflowId]))[0]!;
}

async function signalsOf(workflowId: string): Promise<number> {
  const { events } = await stage.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
}

test.serial(
  'a message waits while Temporal is away and counts no refusal, then it is sent',
  async (t) => {
    const { client } = behindProxy;
    const { database, prefix: taskQueuePrefix, logger } = stage;
    proxy.cut();
    const relay = startRelay({ database, client, taskQueuePrefix, logger });
    const workflowId = await send();
    const lag = () =>
      stage.testDatabase.query<{ n: number }>(
        `select count(*)::int as n from outbox where lease_until is not null and workflow_id = $1`,
        [workflowId],
      );
    await eventually(lag, ([row]) => row!.n === 1);
    await eventually(lag, ([row]) => row!.n === 0);
    t.like(await readRow(workflowId), { sent_at: null, refusals: 0, parked_at: null });
    proxy.restore();
    await eventually(
      () => readRow(workflowId),
      (row) => row.sent_at !== null,
    );
    await relay.stop();
    t.is(await signalsOf(workflowId), 1);
    const description = await stage.client.workflow.getHandle(workflowId).describe();
    t.is(description.type, 'purchaseClearing');
    t.is(description.taskQueue, `${stage.prefix}money`);
  },
);

test.serial('several relays send each message once', async (t) => {
  const relays = [1, 2, 3].map(() => stage.startRelay());
  const ids = await Promise.all(Array.from({ length: 30 }, () => send()));
  for (const id of ids)
    await eventually(
      () => readRow(id),
      (row) => row.sent_at !== null,
    );
  await Promise.all(relays.map((relay) => relay.stop()));
  t.deepEqual(
    await Promise.all(ids.map(signalsOf)),
    ids.map(() => 1),
  );
});

test.serial(
  'a message that Temporal refuses for its own sake is parked after ten refusals; others pass',
  async (t) => {
    const relay = stage.startRelay();
    const refused = await send({
      workflowType: 'purchaseClearing',
      workflowId: `purchase:${'x'.repeat(2_000)}`,
    });
    for (let refusals = 1; refusals <= 10; refusals += 1) {
      await eventually(
        () => readRow(refused),
        (row) => row.refusals === refusals,
      );
      await stage.testDatabase.advance(11_000); // the pause before the next try
      relay.wake();
    }
    t.not((await readRow(refused)).parked_at, null);
    const told = `select 1 from alert where kind = 'message_parked' and resolved_at is null`;
    t.is((await stage.testDatabase.query(told)).length, 1);
    const passing = await send();
    await eventually(
      () => readRow(passing),
      (row) => row.sent_at !== null,
    );
    t.is((await readRow(refused)).refusals, 10);
    await relay.stop();
  },
);
