import { deliveryWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { recordEvent } from '../../../domain/webhooks/event.repository.ts';
import { sendDeliveryAgain } from '../../../domain/webhooks/deliveries/retry.command.ts';
import { waitBeforeMs } from '../../../domain/webhooks/deliveries/retry-schedule.ts';
import { passTime } from '../engines/clock.ts';
import { eventually } from '../eventually.ts';
import { startReceiver, type HttpResponse } from './receiver.ts';
import { addEndpoint, addProduct } from '../catalog/scene.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';

export type DeliveryRow = {
  id: string;
  status: string;
  run: number;
  step: number;
  due_at: Date | null;
  is_leased: boolean;
};

export type AttemptRow = {
  run: number;
  step: number;
  started_at: Date;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  ip: string | null;
  body_start: string | null;
  was_interrupted: boolean;
};

const BY_OPERATOR = { teamId: null, by: { personId: null, ip: null } };

/** An event of a fresh product whose one endpoint gives these answers. */
export async function deliver(stage: Stage, ...answers: HttpResponse[]) {
  const { testDatabase, database, encryptor } = stage;
  const { productId, personId } = await addProduct(testDatabase);
  const receiver = await startReceiver();
  stage.closeLater(() => receiver.close());
  receiver.answers = answers;
  const { url, secret } = receiver;
  const endpointId = await addEndpoint(testDatabase, { productId, url, secret, encryptor });
  const tell = () => recordPurchase(stage, { productId, personId });
  await tell();
  const [delivery] = await testDatabase.query<{ id: string }>(
    'select id from delivery where product_id = $1',
    [productId],
  );
  const deliveryId = delivery!.id;
  const { workflowId } = deliveryWorkflow(deliveryId);
  return {
    receiver,
    endpointId,
    productId,
    deliveryId,
    workflowId,
    /** The same event once more. */
    tell,
    ...createEnds(testDatabase, { deliveryId, endpointId }),
    async row() {
      const sql = `select d.*, exists (select from delivery_lease l where l.delivery_id = d.id)
        as is_leased from delivery_now d where d.id = $1`;
      return (await testDatabase.query<DeliveryRow>(sql, [deliveryId]))[0]!;
    },
    attempts: () =>
      testDatabase.query<AttemptRow>(
        'select * from attempt where delivery_id = $1 order by run, step',
        [deliveryId],
      ),
    async reaches(isThere: (row: DeliveryRow) => boolean) {
      return eventually(() => this.row(), isThere);
    },
    /** The workflow has started so many timers: it waits in the last of them. */
    isWaiting: (timers: number) => untilWaiting(stage.client, { workflowId, timers }),
    /** Lets the wait before a retry pass, and one second more. */
    async passWait(step: number) {
      await this.reaches((row) => row.step === step);
      await this.isWaiting(step);
      const milliseconds = waitBeforeMs(step)! + 1_000;
      await passTime(testDatabase, { client: stage.client, workflowId, milliseconds });
    },
    /** As an operator does in the console. */
    async retry(run?: number) {
      const seen = { deliveryId, productId, run: run ?? (await this.row()).run };
      const sent = await sendDeliveryAgain(database.em(), { ...seen, ...BY_OPERATOR });
      return 'refused' in sent ? sent.refused : 'queued';
    },
    result: () => stage.client.workflow.getHandle(workflowId).result() as Promise<string>,
  };
}

function recordPurchase(
  { database }: Stage,
  { productId, personId }: { productId: string; personId: string },
): Promise<unknown> {
  return database.transaction((em) =>
    recordEvent(em, {
      productId,
      name: 'purchase.completed',
      data: {
        purchase_id: 'pay_test',
        user_id: personId,
        product_id: productId,
        gross_minor: 1_900,
        currency: 'USD',
      },
    }),
  );
}

/** What ends a delivery, or its endpoint. */
function createEnds(
  testDatabase: Stage['testDatabase'],
  { deliveryId, endpointId }: { deliveryId: string; endpointId: string },
) {
  return {
    /** As if all its retries were over, also where it has succeeded. */
    declareDead: () =>
      testDatabase.query(
        `insert into delivery_state (delivery_id, product_id, endpoint_id, status, run, step, created_at)
         select id, product_id, endpoint_id, 'dead', run, step, created_at
         from delivery_now where id = $1
         on conflict (delivery_id) do update set status = 'dead', step = 5, due_at = null`,
        [deliveryId],
      ),
    closeEndpoint: (how: 'disabled_at' | 'deleted_at') =>
      testDatabase.query(`update webhook_endpoint set ${how} = gatehouse_now() where id = $1`, [
        endpointId,
      ]),
  };
}
