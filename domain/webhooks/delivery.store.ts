import { rows, type EntityManager } from '../platform/database.ts';
import type { DeliveryStatus, ErrorClass } from './dispatch.store.ts';

/** How a delivery stands. What it waits for is told by the database's clock. */
export type DeliveryState = {
  status: DeliveryStatus;
  run: number;
  step: number;
  dueAt: string | null;
  remainingMs: number;
  lastStatusCode: number | null;
  lastError: ErrorClass | null;
  productId: string;
  endpointId: string;
  eventName: string;
};

export async function loadDelivery(em: EntityManager, deliveryId: string): Promise<DeliveryState> {
  const [row] = await rows<DeliveryState & { dueAt: Date | string | null }>(
    em,
    `select status, run, step, due_at as "dueAt", last_status_code as "lastStatusCode",
       last_error as "lastError", product_id as "productId", endpoint_id as "endpointId",
       event_name as "eventName", greatest(0, ceil(
         extract(epoch from coalesce(due_at, gatehouse_now()) - gatehouse_now()) * 1000
       ))::float as "remainingMs"
     from delivery where id = ?`,
    [deliveryId],
  );
  if (!row) throw new Error(`there is no delivery ${deliveryId}`);
  return { ...row, dueAt: row.dueAt === null ? null : new Date(row.dueAt).toISOString() };
}

/** Deliveries that gave up, and how late the most overdue retry is, in seconds. */
export async function readDeliveryTrouble(
  em: EntityManager,
): Promise<{ dead: number; overdueS: number }> {
  const [row] = await rows<{ dead: number; overdueS: number }>(
    em,
    `select (select count(*)::int from delivery where status = 'dead') as dead,
       coalesce((select greatest(0, extract(epoch from gatehouse_now() - min(due_at)))
         from delivery where status = 'retrying'), 0)::float as "overdueS"`,
  );
  return row!;
}
