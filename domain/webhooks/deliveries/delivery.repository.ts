import type { Kysely } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { NOW } from '../../../platform/database/expressions.ts';
import { kysely, type Tables } from '../../kysely.ts';
import { endpointHost } from '../endpoints/shown-host.ts';
import type { DeliveryStatus, ErrorClass } from './delivery.entity.ts';

/** A row of the view: a delivery with its progress and its last response. */
export type DeliveryNow = {
  id: string;
  eventId: string;
  endpointId: string;
  productId: string;
  eventName: string;
  body: Buffer;
  createdAt: Date;
  isExample: boolean;
  status: DeliveryStatus;
  run: number;
  step: number;
  dueAt: Date | null;
  finishedAt: Date | null;
  cohort: string | null;
  lastStatusCode: number | null;
  lastError: ErrorClass | null;
};

/** The query builder with the view of deliveries; a search by status reads their states. */
export const deliveries = (em: EntityManager): Kysely<Tables & { deliveryNow: DeliveryNow }> =>
  kysely(em).withTables<{ deliveryNow: DeliveryNow }>();

/** A delivery's progress; times come from the database's clock. */
export type DeliveryProgress = Pick<
  DeliveryNow,
  | 'status'
  | 'run'
  | 'step'
  | 'lastStatusCode'
  | 'lastError'
  | 'productId'
  | 'endpointId'
  | 'eventName'
> & { endpointHost: string; dueAt: string | null; remainingMs: number };

/**
 * `isEarly`: nothing was sent and the step is still ahead, because it is not due or its endpoint is
 * busy.
 */
export type DeliveryReport = DeliveryProgress & { isEarly: boolean };

/** Returns null for a delivery that went with its month. */
export async function loadDelivery(
  em: EntityManager,
  deliveryId: string,
): Promise<DeliveryProgress | null> {
  const found = await deliveries(em)
    .selectFrom('deliveryNow as d')
    .innerJoin('webhookEndpoint', 'webhookEndpoint.id', 'd.endpointId')
    .select(['d.status', 'd.run', 'd.step', 'd.dueAt', 'd.lastStatusCode', 'd.lastError'])
    .select(['d.productId', 'd.endpointId', 'd.eventName', 'url', NOW.as('now')])
    .where('d.id', '=', deliveryId)
    .executeTakeFirst();
  if (!found) return null;
  const { now, dueAt, url, ...delivery } = found;
  const remainingMs = dueAt === null ? 0 : Math.max(0, dueAt.getTime() - now.getTime());
  const shown = { endpointHost: endpointHost(url), dueAt: dueAt?.toISOString() ?? null };
  return { ...delivery, ...shown, remainingMs };
}

export type DeliveryKey = { productId: string; deliveryId: string };

/** `isAwaited`: an attempt is due or under way, and is not recorded yet. */
export async function findDelivery(em: EntityManager, { productId, deliveryId }: DeliveryKey) {
  const found = await deliveries(em)
    .selectFrom('deliveryNow as d')
    .innerJoin('webhookEndpoint', 'webhookEndpoint.id', 'd.endpointId')
    .select(['d.id as deliveryId', 'd.eventName', 'd.endpointId', 'd.body', 'd.createdAt'])
    .select(['d.isExample', 'd.status', 'd.run', 'd.step', 'd.dueAt', 'd.finishedAt', 'd.cohort'])
    .select(['url', 'deletedAt', 'disabledAt', NOW.as('now')])
    .where('d.id', '=', deliveryId)
    .where('d.productId', '=', productId)
    .executeTakeFirst();
  if (!found) return null;
  const { deletedAt, disabledAt, now, ...delivery } = found;
  const endpointState = deletedAt ? 'deleted' : disabledAt ? 'disabled' : 'enabled';
  return {
    ...delivery,
    endpointState,
    now,
    isAwaited: isAwaited(delivery, now),
  };
}

export type DeliveryDetail = NonNullable<Awaited<ReturnType<typeof findDelivery>>>;

function isAwaited({ status, dueAt }: Pick<DeliveryNow, 'status' | 'dueAt'>, now: Date): boolean {
  return status === 'pending' || (status === 'retrying' && dueAt !== null && dueAt <= now);
}

// A group has at most six.
const MOST_ATTEMPTS = 120;

/** The attempts of the newest groups, each with its first attempt first. */
export async function listAttempts(em: EntityManager, deliveryId: string) {
  const newest = await kysely(em)
    .selectFrom('attempt')
    .select(['run', 'step', 'startedAt', 'durationMs', 'statusCode', 'error', 'ip'])
    .select(['bodyStart', 'wasInterrupted', 'signature', 'previousSignature'])
    .where('deliveryId', '=', deliveryId)
    .orderBy('run', 'desc')
    .orderBy('step', 'desc')
    .limit(MOST_ATTEMPTS)
    .execute();
  return newest.toReversed();
}

export type AttemptLine = Awaited<ReturnType<typeof listAttempts>>[number];
