// Periods of the pool as rows, for pages and reviews.
import type { TestDatabase } from '../engines/database.ts';
import { insertPeriod, type NewPeriod } from './insert-period.ts';

type PoolDatabase = Pick<TestDatabase, 'query'>;

type Period = Pick<NewPeriod, 'id' | 'problem'> & Required<Pick<NewPeriod, 'status'>>;

/** Fees of 1,000.00, of which 500.00 go to products and 200.00 to nobody. */
export async function addPeriod(database: PoolDatabase, period: Period): Promise<void> {
  const sums = { platformMinor: 30_000, productsMinor: 50_000, unattributedMinor: 20_000 };
  await insertPeriod(database, { ...period, sums, members: { all: 100, withoutDays: 20 } });
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
