import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { DeliveryStatus, ErrorClass } from '../dispatch/record-attempts.query.ts';

export type DeliveryDetail = {
  deliveryId: string;
  eventName: string;
  endpointId: string;
  url: string;
  endpointState: 'enabled' | 'disabled' | 'deleted';
  /** The old secret of a rotation signs too. */
  isSignedTwice: boolean;
  status: DeliveryStatus;
  run: number;
  step: number;
  body: Buffer;
  createdAt: Date;
  dueAt: Date | null;
  finishedAt: Date | null;
};

export type AttemptLine = {
  run: number;
  step: number;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  error: ErrorClass | null;
  ip: string | null;
  bodyStart: string | null;
  wasInterrupted: boolean;
};

type Instant = 'createdAt' | 'dueAt' | 'finishedAt';
type DetailRow = Omit<DeliveryDetail, Instant> & Record<Instant, Date | string | null>;

export async function findDelivery(
  em: EntityManager,
  { productId, deliveryId }: { productId: string; deliveryId: string },
): Promise<DeliveryDetail | null> {
  const [row] = await rows<DetailRow>(
    em,
    `select d.id as "deliveryId", d.event_name as "eventName", d.endpoint_id as "endpointId", e.url,
       case when e.deleted_at is not null then 'deleted'
         when e.disabled_at is not null then 'disabled' else 'enabled' end as "endpointState",
       coalesce(e.previous_until > gatehouse_now(), false) as "isSignedTwice",
       d.status, d.run, d.step, d.body, d.created_at as "createdAt", d.due_at as "dueAt",
       d.finished_at as "finishedAt"
     from delivery_now d join webhook_endpoint e on e.id = d.endpoint_id
     where d.id = ? and d.product_id = ?`,
    [deliveryId, productId],
  );
  if (!row) return null;
  const { createdAt, dueAt, finishedAt } = row;
  return {
    ...row,
    createdAt: new Date(createdAt!),
    dueAt: dueAt === null ? null : new Date(dueAt),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
  };
}

/**
 * The attempts of the newest groups, each with its first attempt first; a group has at most six.
 */
export async function listAttempts(em: EntityManager, deliveryId: string): Promise<AttemptLine[]> {
  const found = await rows<AttemptLine & { startedAt: Date | string }>(
    em,
    `select * from (
       select run, step, started_at as "startedAt", duration_ms as "durationMs",
         status_code as "statusCode", error, ip, body_start as "bodyStart",
         was_interrupted as "wasInterrupted"
       from attempt where delivery_id = ? order by run desc, step desc limit 120
     ) newest order by run, step`,
    [deliveryId],
  );
  return found.map((row) => ({ ...row, startedAt: new Date(row.startedAt) }));
}
