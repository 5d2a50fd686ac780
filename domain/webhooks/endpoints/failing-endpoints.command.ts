// Endpoints that keep failing: their integrators are notified, then they are disabled.
import { sql } from 'kysely';
import { notifyIntegrators } from '../../notifications/recipients.repository.ts';
import { inTransaction, type EntityManager } from '../../../platform/database/database.ts';
import { ago, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';

/** One enabled endpoint, locked; another process passes it. */
const lockEnabled = (em: EntityManager) =>
  kysely(em)
    .selectFrom('webhookEndpoint')
    .select(['id', 'productId', 'url', 'failingSince', 'lastDeadAt'])
    .where('deletedAt', 'is', null)
    .where('disabledAt', 'is', null)
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked();

const update = (em: EntityManager, id: string) =>
  kysely(em).updateTable('webhookEndpoint').where('id', '=', id);

/**
 * Disables one endpoint that has only failed for five days; false when there is none. Any success
 * ends the failure period in the statement that records it. Disabling ends it too, so that an
 * enabled endpoint gets its full time.
 */
export async function disableFailingEndpoint(em: EntityManager): Promise<boolean> {
  return inTransaction(em, async (em) => {
    const endpoint = await lockEnabled(em)
      .where('failingSince', '<=', ago('5 days'))
      .where('lastDeadAt', '>=', sql<Date>`failing_since + interval '12 hours'`)
      .where('lastDeadAt', '>=', ago('1 day'))
      .orderBy('failingSince')
      .executeTakeFirst();
    if (!endpoint) return false;
    await update(em, endpoint.id)
      .set({ disabledAt: NOW, deadNotifiedAt: NOW, failingSince: null })
      .execute();
    await notify(em, { kind: 'endpoint_disabled', endpoint, since: endpoint.failingSince! });
    return true;
  });
}

/**
 * Notifies about one endpoint with a dead delivery; false when all are notified. Once until the
 * endpoint succeeds again, and at most once a day.
 */
export async function notifyOfDeadDelivery(em: EntityManager): Promise<boolean> {
  return inTransaction(em, async (em) => {
    const endpoint = await lockEnabled(em)
      .where('lastDeadAt', '>', sql<Date>`coalesce(dead_notified_at, '-infinity'::timestamptz)`)
      .where(({ and, eb, or, ref }) =>
        or([
          eb('deadNotifiedAt', 'is', null),
          and([
            eb('deadNotifiedAt', '<=', ago('1 day')),
            or([
              eb('failingSince', 'is', null),
              eb('failingSince', '>', ref('deadNotifiedAt').$notNull()),
            ]),
          ]),
        ]),
      )
      .orderBy('lastDeadAt')
      .executeTakeFirst();
    if (!endpoint) return false;
    await update(em, endpoint.id).set({ deadNotifiedAt: NOW }).execute();
    await notify(em, { kind: 'endpoint_failing', endpoint, since: endpoint.lastDeadAt! });
    return true;
  });
}

type Notice = {
  kind: 'endpoint_failing' | 'endpoint_disabled';
  endpoint: { id: string; productId: string; url: string };
  since: Date;
};

async function notify(em: EntityManager, { kind, endpoint, since }: Notice): Promise<void> {
  const { id: endpointId, productId, url } = endpoint;
  const data = { endpointId, url, since: since.toISOString() };
  await notifyIntegrators(em, { productId, kind, data });
}
