import type { TestDatabase } from '../engines/database.ts';

type Queries = Pick<TestDatabase, 'query'>;

type Evidence = {
  productId: string;
  /** New ones, or one who is named. */
  people?: number;
  personId?: string;
  /** How many days before this week's Monday. */
  daysBefore: readonly number[];
  isQualifying?: boolean;
};

/** Writes days of use as of this week, by the database's clock. */
export async function addEvidence({ query }: Queries, evidence: Evidence): Promise<void> {
  const { productId, people = 1, personId = null, daysBefore, isQualifying = true } = evidence;
  await query(
    `with person as (
       select coalesce($3::uuid, gen_random_uuid()) as id from generate_series(1, $2))
     insert into usage_month as u (product_id, person_id, month, first_at, last_at, session_days,
       heartbeat_days, activity_days, profile_read_days, key_days, qualifying_days)
     select $1, person.id, date_trunc('month', day)::date, min(day), max(day), 0, 0,
       bit_or(bit), 0, 0, case when $5 then bit_or(bit) else 0 end
     from person, unnest($4::int[]) before,
       cast(date_trunc('week', gatehouse_now() at time zone 'UTC')::date - before as date) day,
       cast(1 << extract(day from day)::int - 1 as int) bit
     group by person.id, date_trunc('month', day)
     on conflict (person_id, product_id, month) do update set
       activity_days = u.activity_days | excluded.activity_days,
       qualifying_days = u.qualifying_days | excluded.qualifying_days`,
    [productId, people, personId, daysBefore, isQualifying],
  );
}

/** From now on each review passes, as long as the evidence is not older than 90 days. */
export async function meetCriteria({ query }: Queries, productId: string): Promise<void> {
  await addEvidence({ query }, { productId, people: 30, daysBefore: [3, 10] });
  await list({ query }, { productId, days: 400 });
}

/** From now on each review fails, because the product seems new. */
export async function missCriteria({ query }: Queries, productId: string): Promise<void> {
  await list({ query }, { productId, days: 0 });
}

async function list({ query }: Queries, { productId, days }: { productId: string; days: number }) {
  await query(
    `update product set listed_at = gatehouse_now() - $2 * interval '1 day' where id = $1`,
    [productId, days],
  );
}

type SealRow = {
  state: string;
  failures: number;
  loss_reason: string | null;
  restored_from: string | null;
};

export async function readSeal({ query }: Queries, productId: string): Promise<SealRow | null> {
  const [row] = await query<SealRow>(
    'select state, failures, loss_reason, restored_from from seal where product_id = $1',
    [productId],
  );
  return row ?? null;
}

/** Makes the seal of a product, as reviews would have left it. */
export async function holdSeal(
  { query }: Queries,
  { productId, isNoticed = false }: { productId: string; isNoticed?: boolean },
): Promise<void> {
  await query(
    `with shown as (update product_search set is_sealed = true where product_id = $1)
     insert into seal (product_id, state, failures, held_since, noticed_at, notice_ends_at)
     select $1, case when $2 then 'noticed' else 'held' end, case when $2 then 2 else 0 end,
       gatehouse_now() - interval '200 days', case when $2 then gatehouse_now() end,
       case when $2 then gatehouse_now() + interval '60 days' end
     on conflict (product_id) do update set state = excluded.state, failures = excluded.failures,
       held_since = excluded.held_since, noticed_at = excluded.noticed_at,
       notice_ends_at = excluded.notice_ends_at, lost_at = null, loss_reason = null`,
    [productId, isNoticed],
  );
}

export const WEEK_MS = 7 * 24 * 60 * 60_000;
