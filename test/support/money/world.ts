import pg from 'pg';
import pino from 'pino';
import type { Services } from '../../../activities/index.ts';
import { createEntitlementActivities } from '../../../activities/entitlement.activities.ts';
import { createMembershipActivities } from '../../../activities/billing/membership.activities.ts';
import { createPurchaseActivities } from '../../../activities/billing/purchase.activities.ts';
import { createReconcileActivities } from '../../../activities/billing/reconcile.activities.ts';
import { createRefundActivities } from '../../../activities/billing/refund.activities.ts';
import { createSubscriptionActivities } from '../../../activities/billing/subscription.activities.ts';
import { ENTITIES } from '../../../domain/entities.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import { DATABASE_TIMEOUT_MS } from '../engines/database.ts';
import { startShop, type Shop } from '../purchases/simulator.ts';
import { interfere, type Interference } from './interference.ts';

type Activities = ReturnType<typeof createPurchaseActivities> &
  ReturnType<typeof createRefundActivities> &
  ReturnType<typeof createReconcileActivities> &
  ReturnType<typeof createSubscriptionActivities> &
  ReturnType<typeof createMembershipActivities> &
  ReturnType<typeof createEntitlementActivities>;

/** A processor, our side of it without Temporal, and hands to let both go wrong. */
export type World = {
  shop: Shop;
  database: Database;
  /** The simulator's own tables: what it keeps, a test can bring about and compare with. */
  simulator: pg.Pool;
  activities: Activities;
  interference: Interference;
  close(): Promise<void>;
};

export async function openWorld(): Promise<World> {
  const shop = await startShop();
  const { url, ownUrl } = shop.database;
  const database = await openDatabase({
    url,
    listenUrl: url,
    name: 'world',
    entities: ENTITIES,
    timeoutMs: DATABASE_TIMEOUT_MS,
  });
  const simulator = new pg.Pool({ connectionString: ownUrl, max: 2 });
  simulator.on('error', () => undefined);
  // No word leaves by itself: each run says which one arrives when.
  await simulator.query(`update simulator.knob set fate = 'hold', events_left = 2147483647`);
  const interference = interfere(shop.processor);
  const logger = pino({ level: 'silent' });
  const services = { database, processor: interference.processor, logger } as Services;
  return {
    shop,
    database,
    simulator,
    activities: {
      ...createPurchaseActivities(services),
      ...createRefundActivities(services),
      ...createReconcileActivities(services),
      ...createSubscriptionActivities(services),
      ...createMembershipActivities(services),
      ...createEntitlementActivities(services),
    },
    interference,
    async close() {
      await simulator.end();
      await database.close();
      await shop.close();
    },
  };
}
