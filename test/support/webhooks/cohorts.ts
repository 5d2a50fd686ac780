import { newSecret } from '../../../domain/shared/ids.ts';
import { waitBeforeMs } from '../../../domain/webhooks/deliveries/retry-schedule.ts';
import { MOST_OWN_WORKFLOWS } from '../../../domain/webhooks/deliveries/attempts-at-once.ts';
import { encryptEndpointSecret } from '../../../domain/webhooks/endpoints/endpoint-secret-encryption.ts';
import { recordEvent } from '../../../domain/webhooks/event.repository.ts';
import { passTime } from '../engines/clock.ts';
import type { TestDatabase } from '../engines/database.ts';
import { untilWaiting } from '../engines/temporal.ts';
import type { Stage } from '../engines/worker.ts';
import { eventually } from '../eventually.ts';
import { addBacklog } from './backlog.ts';
import type { DeliveryRow } from './deliveries.ts';
import { startReceiver, type HttpResponse } from './receiver.ts';

type Row = DeliveryRow & { cohort: string | null };

/** An endpoint with more open retries than have workflows of their own, all due in a month. */
async function addOpenRetries(testDatabase: TestDatabase): Promise<string> {
  const count = MOST_OWN_WORKFLOWS + 1;
  const endpointId = await addBacklog(testDatabase, { count, status: 'retrying' });
  await testDatabase.query(
    `update delivery_state set due_at = gatehouse_now() + interval '30 days' where endpoint_id = $1`,
    [endpointId],
  );
  return endpointId;
}

/** Deliveries of such an endpoint whose first attempts fail in the same minute. */
export async function failTogether(
  stage: Stage,
  { count, answers }: { count: number; answers: HttpResponse[] },
) {
  const { testDatabase, encryptor, client } = stage;
  const { query } = testDatabase;
  const receiver = await startReceiver();
  stage.closeLater(() => receiver.close());
  receiver.answers = answers;
  const endpointId = await addOpenRetries(testDatabase);
  const secret = `whsec_${newSecret()}`;
  const [endpoint] = await query<{ product_id: string }>(
    `update webhook_endpoint set url = $2, encrypted_secret = $3, events = '{purchase.completed}'
     where id = $1 returning product_id`,
    [endpointId, receiver.url, encryptEndpointSecret(encryptor, endpointId, secret)],
  );
  const productId = endpoint!.product_id;
  await startMinute(testDatabase);
  await recordPurchases(stage, { productId, count });
  // The open retries have another body.
  const rows = () =>
    query<Row>(
      `select d.*, false as is_leased from delivery_now d
       where endpoint_id = $1 and body <> '\\x7b7d' order by id`,
      [endpointId],
    );
  const reach = (isThere: (found: Row[]) => boolean) => eventually(rows, isThere);
  const failed = await reach((found) => found.every(({ step }) => step === 1));
  const workflowId = failed[0]!.cohort!;
  return {
    receiver,
    endpointId,
    productId,
    workflowId,
    rows,
    reach,
    isWaiting: (timers: number) => untilWaiting(client, { workflowId, timers }),
    /** Lets the wait before a retry of all pass, and some seconds more. */
    async passWait(step: number) {
      await reach((found) => found.some((row) => row.step === step));
      await untilWaiting(client, { workflowId, timers: step });
      const milliseconds = waitBeforeMs(step)! + 5_000;
      await passTime(testDatabase, { client, workflowId, milliseconds });
    },
    disableEndpoint: () =>
      query('update webhook_endpoint set disabled_at = gatehouse_now() where id = $1', [
        endpointId,
      ]),
    result: () => client.workflow.getHandle(workflowId).result() as Promise<string>,
  };
}

async function recordPurchases(
  { database }: Stage,
  { productId, count }: { productId: string; count: number },
): Promise<void> {
  await database.transaction(async (em) => {
    for (let n = 0; n < count; n += 1) {
      const data = {
        purchase_id: `pay_${n}`,
        user_id: productId,
        product_id: productId,
        gross_minor: 1_900,
        currency: 'USD',
      };
      await recordEvent(em, { productId, name: 'purchase.completed', data });
    }
  });
}

/** Away from the boundary, where first failures would be two cohorts. */
async function startMinute({ query, advance }: TestDatabase): Promise<void> {
  const [row] = await query<{ left: number }>(
    'select (60 - extract(epoch from gatehouse_now())::numeric % 60)::float as left',
  );
  if (row!.left < 20) await advance((row!.left + 0.1) * 1_000);
}
