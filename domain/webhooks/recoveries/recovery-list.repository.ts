import { rows, type EntityManager } from '../../../platform/database/database.ts';
import type { Recoverable } from './recovery.ts';

export type RecoveryView = {
  recoveryId: string;
  /** Null: all endpoints. */
  url: string | null;
  eventName: string | null;
  statuses: Recoverable[];
  since: Date;
  until: Date;
  total: number;
  done: number;
  queued: number;
  status: 'running' | 'completed';
  startedByHandle: string;
  createdAt: Date;
  finishedAt: Date | null;
};

type Instant = 'since' | 'until' | 'createdAt' | 'finishedAt';
type Row = Omit<RecoveryView, Instant> & Record<Instant, Date | string | null>;

const VIEW = `
  select r.id as "recoveryId", e.url, r.event_name as "eventName", r.statuses, r.since, r.until,
    r.total, r.done, r.queued, r.status, p.handle as "startedByHandle",
    r.created_at as "createdAt", r.finished_at as "finishedAt"
  from recovery r join person p on p.id = r.started_by
  left join webhook_endpoint e on e.id = r.endpoint_id
  where r.product_id = ?`;

/** The newest first. */
export async function listRecoveries(
  em: EntityManager,
  productId: string,
): Promise<RecoveryView[]> {
  const found = await rows<Row>(em, `${VIEW} order by r.created_at desc, r.id desc limit 50`, [
    productId,
  ]);
  return found.map(toView);
}

export async function findRecovery(
  em: EntityManager,
  { productId, recoveryId }: { productId: string; recoveryId: string },
): Promise<RecoveryView | null> {
  const [row] = await rows<Row>(em, `${VIEW} and r.id = ?`, [productId, recoveryId]);
  return row ? toView(row) : null;
}

function toView({ since, until, createdAt, finishedAt, ...row }: Row): RecoveryView {
  return {
    ...row,
    since: new Date(since!),
    until: new Date(until!),
    createdAt: new Date(createdAt!),
    finishedAt: finishedAt === null ? null : new Date(finishedAt),
  };
}
