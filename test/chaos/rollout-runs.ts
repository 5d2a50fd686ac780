// The open runs of a rollout: retries of webhooks, which are pinned, and ends of access ahead.
import {
  deliveryWorkflow,
  entitlementWorkflow,
  type WorkflowTarget,
} from '../../domain/outbox/workflow-targets.ts';
import { sendToWorkflows } from '../../domain/outbox/outbox.repository.ts';
import { recordEvent } from '../../domain/webhooks/event.repository.ts';
import { listen } from '../../platform/http-server.ts';
import { addEndpoint, addProduct } from '../support/catalog/scene.ts';
import { grantAccess } from '../support/catalog/entitlements.ts';
import type { Stage } from '../support/engines/worker.ts';

/** Fewer than the open retries that make an endpoint's deliveries share their workflows. */
const PER_ENDPOINT = 100;
const AT_ONCE = 10;
/** Answered 503 so often, then 204. */
const REFUSALS = 2;
const DAYS = 60;
const A_SECOND_IN_DAYS = 1 / 86_400;

type Counted = { id: string; received: number; status: string };

/** Counts what arrives by id, and refuses each delivery at first. */
async function startRefusing({ closeLater }: Stage) {
  const received = new Map<string, number>();
  const listener = await listen(
    async (request, response) => {
      const { id } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const times = (received.get(id) ?? 0) + 1;
      received.set(id, times);
      response.writeHead(times <= REFUSALS ? 503 : 204).end();
    },
    { hosts: ['127.0.0.1'], port: 0 },
  );
  closeLater(async () => {
    for (const server of listener.servers) server.closeAllConnections();
    await listener.close();
  });
  return { url: `http://127.0.0.1:${listener.port}`, received };
}

/** Events of a product with one endpoint. */
async function tell(stage: Stage, url: string, count: number): Promise<void> {
  const { testDatabase, database, encryptor } = stage;
  const { productId, personId } = await addProduct(testDatabase);
  const events = ['purchase.completed'];
  await addEndpoint(testDatabase, { productId, url, secret: 'whsec_rollout', encryptor, events });
  const data = {
    purchase_id: 'pay_rollout',
    user_id: personId,
    product_id: productId,
    gross_minor: 1_900,
    currency: 'USD',
  };
  await database.transaction(async (em) => {
    for (let told = 0; told < count; told += 1) {
      await recordEvent(em, { productId, name: 'purchase.completed', data });
    }
  });
}

type Story = Awaited<ReturnType<typeof grantAccess>>;

export async function openRuns(stage: Stage) {
  const { testDatabase, database } = stage;
  const { url, received } = await startRefusing(stage);
  const stories: Story[] = [];

  const deliveryIds = async (where = 'true') => {
    const sql = `select id from delivery_now where ${where} order by id`;
    return (await testDatabase.query<{ id: string }>(sql)).map(({ id }) => id);
  };

  return {
    async beginDeliveries(count: number): Promise<void> {
      for (let left = count; left > 0; left -= PER_ENDPOINT) {
        await tell(stage, url, Math.min(left, PER_ENDPOINT));
      }
    },
    async beginAccess(count: number): Promise<void> {
      for (let left = count; left > 0; left -= AT_ONCE) {
        const some = Array.from({ length: Math.min(left, AT_ONCE) });
        stories.push(...(await Promise.all(some.map(() => grantAccess(stage, { days: DAYS })))));
      }
    },
    /** Each open run makes a step: it reads its row again. */
    async nudge(): Promise<void> {
      const retrying = await deliveryIds(`status = 'retrying'`);
      const targets: WorkflowTarget[] = [
        ...retrying.map(deliveryWorkflow),
        ...stories.map(entitlementWorkflow),
      ];
      await database.transaction((em) => sendToWorkflows(em, targets, { kind: 'overdue' }));
    },
    /** Whatever retry lies ahead is due at once. Answers how many deliveries have not arrived. */
    async hasten(): Promise<number> {
      const due = await testDatabase.query<{ id: string }>(
        `update delivery_state set due_at = gatehouse_now()
         where status = 'retrying' and due_at > gatehouse_now() returning delivery_id as id`,
      );
      const targets = due.map(({ id }) => deliveryWorkflow(id));
      await database.transaction((em) => sendToWorkflows(em, targets, { kind: 'overdue' }));
      return (await deliveryIds(`status <> 'succeeded'`)).length;
    },
    async endAccess(): Promise<void> {
      for (let index = 0; index < stories.length; index += AT_ONCE) {
        const some = stories.slice(index, index + AT_ONCE);
        await Promise.all(some.map(({ moveEnd }) => moveEnd(A_SECOND_IN_DAYS)));
      }
    },
    async countAnnounced(): Promise<number> {
      const [row] = await testDatabase.query<{ n: number }>(
        `select count(*)::int as n from event where name = 'entitlement.expired'`,
      );
      return row!.n;
    },
    findFaults: () => findFaults(stage, { received, stories }),
  };
}

/** What was lost or came twice. */
async function findFaults(
  { testDatabase }: Stage,
  { received, stories }: { received: ReadonlyMap<string, number>; stories: readonly Story[] },
): Promise<string[]> {
  const rows = await testDatabase.query<Counted>('select id, status from delivery_now');
  const deliveries = rows.flatMap(({ id, status }) => {
    const times = received.get(id) ?? 0;
    if (status === 'succeeded' && times === REFUSALS + 1) return [];
    return [`${id} is ${status} and came ${times} times instead of ${REFUSALS + 1}`];
  });
  const events = await Promise.all(stories.map((story) => story.events()));
  const access = events.flatMap((names, index) => {
    const announced = names.filter((name) => name === 'entitlement.expired').length;
    return announced === 1 ? [] : [`${stories[index]!.workflowId}: ${announced} times`];
  });
  return [...deliveries, ...access];
}
