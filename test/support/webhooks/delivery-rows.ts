import { deliveryIdOf, newUuid } from '../../../domain/shared/ids.ts';
import type { DeliveryStatus } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import type { TestDatabase } from '../engines/database.ts';

export type GivenDelivery = {
  productId: string;
  endpointId: string;
  status?: DeliveryStatus;
  eventName?: string;
  body?: string;
  /** How long ago it was made, by the database's clock. */
  minutesAgo?: number;
  run?: number;
  step?: number;
  /** How long until the next attempt. */
  dueInMinutes?: number;
};

export type GivenAttempt = {
  deliveryId: string;
  run?: number;
  step: number;
  minutesAgo?: number;
  durationMs?: number;
  statusCode?: number | null;
  error?: string | null;
  ip?: string;
  bodyStart?: string;
  wasInterrupted?: boolean;
  signature?: string;
  previousSignature?: string;
};

const OVER = ['succeeded', 'dead', 'cancelled'];

/** Rows as the dispatcher and the workflows leave them, for what only reads them. */
export function createDeliveryRows({ query }: TestDatabase) {
  return {
    async delivery(given: GivenDelivery): Promise<string> {
      const { productId, endpointId, status = 'succeeded', minutesAgo = 1 } = given;
      const eventName = given.eventName ?? 'purchase.completed';
      const eventId = newUuid(await timeOf(query));
      const id = deliveryIdOf({ eventId, endpointId });
      await query(
        `insert into event (id, product_id, name, data, created_at)
         values ($1, $2, $3, '{}', gatehouse_now() - $4 * interval '1 minute')`,
        [eventId, productId, eventName, minutesAgo],
      );
      await query(
        `insert into delivery (id, event_id, endpoint_id, product_id, event_name, body, created_at)
         values ($1, $2, $3, $4, $5, convert_to($6, 'utf8'),
           gatehouse_now() - $7 * interval '1 minute')`,
        [id, eventId, endpointId, productId, eventName, given.body ?? `{"id":"${id}"}`, minutesAgo],
      );
      if (status === 'succeeded') return id;
      await insertState(query, id, given);
      return id;
    },

    async attempt(given: GivenAttempt): Promise<void> {
      await query(
        `insert into attempt (delivery_id, run, step, started_at, duration_ms, status_code, error, ip,
           body_start, was_interrupted, signature, previous_signature)
         values ($1, $2, $3, gatehouse_now() - $4 * interval '1 minute', $5, $6, $7, $8, $9, $10, $11,
           $12)`,
        [
          given.deliveryId,
          given.run ?? 1,
          given.step,
          given.minutesAgo ?? 1,
          given.durationMs ?? 120,
          given.statusCode ?? null,
          given.error ?? null,
          given.ip ?? '192.0.2.10',
          given.bodyStart ?? null,
          given.wasInterrupted ?? false,
          given.signature ?? null,
          given.previousSignature ?? null,
        ],
      );
    },
  };
}

async function insertState(
  query: TestDatabase['query'],
  deliveryId: string,
  { status = 'succeeded', run = 1, step = 0, dueInMinutes }: GivenDelivery,
): Promise<void> {
  await query(
    `insert into delivery_state (delivery_id, endpoint_id, product_id, status, run, step, due_at,
       created_at, finished_at)
     select id, endpoint_id, product_id, $2, $3, $4,
       gatehouse_now() + $5 * interval '1 minute', created_at, case when $6 then created_at end
     from delivery where id = $1`,
    [deliveryId, status, run, step, dueInMinutes ?? null, OVER.includes(status)],
  );
}

async function timeOf(query: TestDatabase['query']): Promise<number> {
  const [clock] = await query<{ now: Date }>('select gatehouse_now() as now');
  return clock!.now.getTime();
}
