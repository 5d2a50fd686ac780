// Periods of the pool as rows, for pages and reviews.
import type { TestDatabase } from '../engines/database.ts';

type PoolDatabase = Pick<TestDatabase, 'query'>;

type Status =
  | 'open'
  | 'frozen'
  | 'computed'
  | 'in_review'
  | 'approved'
  | 'paying'
  | 'paid'
  | 'empty';

type Period = { id: string; status: Status; problem?: string };

/** Fees of 1,000.00, of which 500.00 go to products and 200.00 to nobody. */
export async function addPeriod(
  { query }: PoolDatabase,
  { id, status, problem }: Period,
): Promise<void> {
  await query(
    `insert into pool_period (id, month, currency, status, rule, freeze_due_at, problem)
     values ($1, $2, $3, 'open', 'user-centric-1',
       $2::date + interval '1 month' + interval '72 hours', $4)`,
    [id, `${id.slice(0, 7)}-01`, id.slice(-3), problem ?? null],
  );
  if (status === 'open') return;
  if (status === 'empty') {
    await query(`update pool_period set status = 'empty' where id = $1`, [id]);
    return;
  }
  await query(
    `update pool_period set status = $2, pool_share_bps = 7000, frozen_at = gatehouse_now(),
       snapshot_sha256 = repeat('a', 64), computed_at = gatehouse_now(),
       statement_sha256 = repeat('b', 64), fees_minor = 100000, platform_minor = 30000,
       products_minor = 50000, unattributed_minor = 20000, members = 100,
       members_without_days = 20 where id = $1`,
    [id, status],
  );
  if (['approved', 'paying', 'paid'].includes(status)) {
    await query(`update pool_period set approved_at = gatehouse_now() where id = $1`, [id]);
  }
}

type Line = {
  periodId: string;
  productId: string;
  personId: string;
  amountMinor: number;
  status?: 'payable' | 'held' | 'failed';
  month?: string;
};

/** A line of a lone builder's product. */
export async function addLine({ query }: PoolDatabase, line: Line): Promise<void> {
  const { periodId, productId, personId, amountMinor, status = 'payable' } = line;
  const month = line.month ?? `${periodId.slice(0, 7)}-01`;
  await query(
    `insert into pool_line (period_id, currency, product_id, month, person_id, amount_minor, members,
       qualified_days, bands, status)
     values ($1, right($1, 3), $2, $3, $4, $5, 12, 140, '[]', $6)`,
    [periodId, productId, month, personId, amountMinor, status],
  );
}

/** A product on the review list of a period. */
export async function addReview(
  { query }: PoolDatabase,
  { periodId, productId }: { periodId: string; productId: string },
): Promise<void> {
  const figures = [
    { rule: 'single_product', figureBps: 9_730, thresholdBps: 8_000, isOver: true },
    { rule: 'young_accounts', figureBps: 1_200, thresholdBps: 2_500, isOver: false },
    { rule: 'shared_addresses', figureBps: 4_100, thresholdBps: 2_500, isOver: true },
    { rule: 'regular_times', figureBps: 0, thresholdBps: 5_000, isOver: false },
  ];
  await query(
    `insert into pool_review (period_id, product_id, figures, is_listed) values ($1, $2, $3, true)`,
    [periodId, productId, JSON.stringify(figures)],
  );
}

type Payout = {
  id: string;
  periodId: string;
  personId: string;
  status: 'paying' | 'paid' | 'failed';
  attempts?: number;
  isOutcomeUnknown?: boolean;
  endedAt?: string;
};

export async function addPayout({ query }: PoolDatabase, payout: Payout): Promise<void> {
  const { id, periodId, personId, status, attempts = 1, endedAt = 'now' } = payout;
  const { isOutcomeUnknown = false } = payout;
  await query(
    `insert into pool_payout (id, period_id, person_id, currency, amount_minor, account, status,
       attempts, due_at, last_error, transfer_id, ended_at, is_outcome_unknown)
     values ($1, $2, $3, right($2, 3), 12345, 'acct_1', $4, $5,
       case when $4 = 'paying' then gatehouse_now() + interval '30 minutes' end,
       case when $4 <> 'paid' then 'The account is closed.' end,
       case when $4 = 'paid' then 'tr_' || $1 end,
       case when $4 <> 'paying' then $6::timestamptz end, $7)`,
    [id, periodId, personId, status, attempts, endedAt, isOutcomeUnknown],
  );
}
