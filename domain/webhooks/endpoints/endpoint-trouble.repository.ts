// Endpoints that keep failing: their integrators are notified, then they are disabled.
import { notifyIntegrators } from '../../notifications/recipients.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

type Troubled = { endpointId: string; productId: string; url: string; since: Date | string };

// No attempt has succeeded since: any success ends the failure period in the statement that records
// it. Disabling clears the period, so that an enabled endpoint gets its full time.
const DISABLE = `
  update webhook_endpoint e
  set disabled_at = gatehouse_now(), dead_notified_at = gatehouse_now(), failing_since = null
  where e.id = (
    select id from webhook_endpoint
    where deleted_at is null and disabled_at is null
      and failing_since <= gatehouse_now() - interval '5 days'
      and last_dead_at >= failing_since + interval '12 hours'
      and last_dead_at >= gatehouse_now() - interval '1 day'
    order by failing_since limit 1 for no key update skip locked
  )
  returning e.id as "endpointId", e.product_id as "productId", e.url, old.failing_since as since`;

// Once until the endpoint succeeds again, and at most once a day.
const TELL = `
  update webhook_endpoint e set dead_notified_at = gatehouse_now()
  where e.id = (
    select id from webhook_endpoint
    where deleted_at is null and last_dead_at > coalesce(dead_notified_at, '-infinity'::timestamptz)
      and disabled_at is null and (dead_notified_at is null or (
        dead_notified_at <= gatehouse_now() - interval '1 day'
        and (failing_since is null or failing_since > dead_notified_at)))
    order by last_dead_at limit 1 for no key update skip locked
  )
  returning e.id as "endpointId", e.product_id as "productId", e.url, e.last_dead_at as since`;

/** Disables one endpoint that has only failed for five days; false when there is none. */
export async function disableFailingEndpoint(em: EntityManager): Promise<boolean> {
  return settle(em, { statement: DISABLE, kind: 'endpoint_disabled' });
}

/** Notifies about one endpoint with a dead delivery; false when all are notified. */
export async function tellOfDeadDelivery(em: EntityManager): Promise<boolean> {
  return settle(em, { statement: TELL, kind: 'endpoint_failing' });
}

type News = { statement: string; kind: 'endpoint_failing' | 'endpoint_disabled' };

async function settle(em: EntityManager, { statement, kind }: News): Promise<boolean> {
  const [troubled] = await rows<Troubled>(em, statement);
  if (!troubled) return false;
  const { endpointId, productId, url, since } = troubled;
  const data = { endpointId, url, since: new Date(since).toISOString() };
  await notifyIntegrators(em, { productId, kind, data });
  return true;
}
