import { recoveryWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { startRecovery } from '../../../domain/webhooks/recoveries/recovery.command.ts';
import type { RecoveryFilter } from '../../../domain/webhooks/recoveries/recovery.repository.ts';
import { eventually } from '../eventually.ts';
import { addEndpoint, addProduct } from '../catalog/scene.ts';
import type { Stage } from '../engines/worker.ts';

type Given = { productId: string; endpointId: string; count: number; status: 'dead' | 'held' };

/** Many deliveries at once, a minute apart, the last of them a minute ago. */
async function addDeliveries({ testDatabase }: Stage, given: Given): Promise<void> {
  await testDatabase.query(
    `with made as (
       insert into event (id, product_id, name, data, created_at)
       select time_ordered_id(), $1, 'purchase.completed', '{}',
         gatehouse_now() - n * interval '1 minute'
       from generate_series(1, $3::int) n returning id, created_at
     ),
     told as (
       insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
       select first_id('text', gatehouse_now()) || upper(left(md5(id::text), 16)), id, $2, $1, 'purchase.completed', '{}', created_at from made
       returning *
     )
     insert into delivery_state (delivery_id, endpoint_id, product_id, status, step, created_at,
       finished_at)
     select id, endpoint_id, product_id, $4, case $4 when 'dead' then 5 else 0 end, created_at,
       case $4 when 'dead' then created_at end from told`,
    [given.productId, given.endpointId, given.count, given.status],
  );
}

export type RecoveryScene = { productId: string; personId: string; endpointId: string };

/** A product with an endpoint that was dead, or disabled, for a while. */
export async function addTroubledProduct(
  stage: Stage,
  { dead = 0, held = 0 }: { dead?: number; held?: number },
): Promise<RecoveryScene> {
  const { testDatabase, encryptor } = stage;
  const { productId, personId } = await addProduct(testDatabase);
  // Nobody listens there.
  const endpoint = { productId, url: 'http://127.0.0.1:9/in', secret: 'whsec_test', encryptor };
  const endpointId = await addEndpoint(testDatabase, endpoint);
  const made = { productId, endpointId };
  if (dead > 0) await addDeliveries(stage, { ...made, count: dead, status: 'dead' });
  if (held > 0) await addDeliveries(stage, { ...made, count: held, status: 'held' });
  return { productId, personId, endpointId };
}

/** Starts a recovery of what an endpoint has missed within two days. */
export async function beginRecovery(
  stage: Stage,
  scene: RecoveryScene,
  filter: Partial<RecoveryFilter> = {},
) {
  const { productId, endpointId, personId } = scene;
  const since = new Date(Date.now() - 2 * 86_400_000);
  const both = { eventName: null, statuses: ['dead', 'held'] as const, since, until: null };
  const by = { personId, ip: null };
  const input = { productId, endpointId, ...both, ...filter, teamId: null, by };
  return startRecovery(stage.database.em(), input);
}

export async function recover(stage: Stage, troubled: { dead?: number; held?: number }) {
  const scene = await addTroubledProduct(stage, troubled);
  const started = await beginRecovery(stage, scene);
  if (isRefusal(started)) throw new Error(started.refused);
  const { recoveryId, total } = started;
  const { workflowId } = recoveryWorkflow(recoveryId);
  const handle = stage.client.workflow.getHandle(workflowId);
  return {
    ...scene,
    recoveryId,
    total,
    workflowId,
    handle,
    async result(): Promise<string> {
      await eventually(
        () => handle.describe().catch(() => null),
        (described) => described?.status.name === 'COMPLETED',
      );
      return handle.result() as Promise<string>;
    },
  };
}
