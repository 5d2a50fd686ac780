import pg from 'pg';
import pino from 'pino';
import type { Services } from '../../../activities/services.ts';
import { createEntitlementActivities } from '../../../activities/entitlement.activities.ts';
import { createMembershipActivities } from '../../../activities/billing/membership.activities.ts';
import { createPurchaseActivities } from '../../../activities/billing/purchase.activities.ts';
import { createReconcileActivities } from '../../../activities/billing/reconcile.activities.ts';
import { createRefundActivities } from '../../../activities/billing/refund.activities.ts';
import { createSubscriptionActivities } from '../../../activities/billing/subscription.activities.ts';
import { PreparingClient } from '../../../platform/database/preparing-client.ts';
import type { Database } from '../../../platform/database/database.ts';
import { openAppDatabase } from '../engines/database.ts';
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

/**
 * A hundred stories take ten years: five hundred months of tables would cost more than what is told
 * in them, and upkeep has tests of its own.
 */
const ONE_PART_FOR_ALL_THAT_COMES = `
  select make_partitions();
  do $$
  declare
    parent record;
  begin
    for parent in
      select c.relname as name, a.atttypid as key
      from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
      where p.partstrat = 'r' and c.relname <> 'api_request'
    loop
      execute format('create table partitions.%1$s_later (like %1$I including all)', parent.name);
      execute format('alter table %1$I attach partition partitions.%1$s_later
        for values from (%2$L) to (maxvalue)', parent.name, first_id(parent.key,
          date_trunc('month', gatehouse_now(), 'UTC') + interval '4 months'));
    end loop;
  end $$;
  create or replace function make_partitions() returns integer language sql as 'select 0'`;

/** No plan depends on values, and none on how few rows a table had when it was made. */
const PLANS_FOR_EVERY_VALUE = `
  do $$ begin
    execute format('alter database %I set plan_cache_mode = force_generic_plan', current_database());
    execute format('alter database %I set enable_seqscan = off', current_database());
  end $$`;

/** By these the stories read the simulator's books; it never does. */
const INDEXES = `
  create index on simulator.payment_intent (session_id);
  create index on simulator.checkout_session ((metadata ->> 'purchase_id'))`;

export async function openWorld(): Promise<World> {
  // A story lets what is due happen itself: the simulator would look for it a second time.
  const shop = await startShop({ isWokenByClock: false });
  const { url, ownUrl } = shop.database;
  await shop.database.query(PLANS_FOR_EVERY_VALUE);
  const database = openAppDatabase(url, 'world');
  const simulator = new pg.Pool({ connectionString: ownUrl, max: 2, Client: PreparingClient });
  simulator.on('error', () => undefined);
  await simulator.query(ONE_PART_FOR_ALL_THAT_COMES);
  await simulator.query(INDEXES);
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
