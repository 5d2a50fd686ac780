// How PostgreSQL stores tables that are written often.
import { sql } from './sql.ts';

export const storage = [
  // Rows are updated soon after they are inserted: with free space in their page the updates write no index.
  sql`alter table authorization_code set (fillfactor = 50)`,
  sql`alter table check_count set (fillfactor = 50)`,
  sql`alter table check_day set (fillfactor = 50)`,
  sql`alter table request_quota set (fillfactor = 50)`,
  sql`alter table check_batch set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  // Random ids do not compress, and trying to compress them costs more than the rest of the insert.
  sql`alter table check_batch
    alter product_ids set storage external,
    alter person_ids set storage external,
    alter are_known set storage external,
    alter checks set storage external,
    alter open_checks set storage external`,
  sql`alter table delivery_state
    set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02)`,
  // Dead entries are cleared one by one, so none are merged.
  sql`alter index delivery_state_endpoint set (deduplicate_items = off)`,
  sql`alter index delivery_lease_owner set (deduplicate_items = off)`,
];
