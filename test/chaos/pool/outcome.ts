// What a month came to, held against an undisturbed one of the same facts, and against itself.
import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from '../../support/engines/database.ts';

/** All that a month leaves, without ids and instants that differ from run to run. */
const LEFT = {
  files: `select period_id, file, encode(sha256(string_agg(bytes, ''::bytea order by number)), 'hex') as sha256,
      sum(length(bytes)) as size
    from pool_file_part group by period_id, file order by 1, 2`,
  periods: `select id, status, pool_share_bps, snapshot_sha256, statement_sha256, fees_minor,
      platform_minor, products_minor, unattributed_minor, members, members_without_days, problem
    from pool_period order by id`,
  members: `select * from pool_member order by period_id, member`,
  corrections: `select * from pool_correction order by period_id, corrected_id, member`,
  reviews: `select * from pool_review order by period_id, product_id`,
  lines: `select period_id, product_id, month, team_id, amount_minor, members, qualified_days, bands,
      status, payout_id
    from pool_line order by period_id, product_id, month`,
  payouts: `select id, period_id, team_id, amount_minor, account, status from pool_payout order by id`,
  transfers: `select transfer_group, account_id, amount, currency from simulator.transfer
    order by transfer_group`,
  ledger: `select booking, account, kind, amount_minor, currency, pool_period_id, pool_owner_id
    from ledger_entry where pool_period_id is not null order by booking, account, kind`,
  approvals: `select subject, detail, count(*) from audit where action = 'pool.approved'
    group by subject, detail order by subject`,
  alerts: `select kind, subject from alert where kind like 'pool%' order by kind, subject`,
};

export type Outcome = { [What in keyof typeof LEFT]: object[] };

export async function readOutcome({ query }: TestDatabase): Promise<Outcome> {
  const read = Object.entries(LEFT).map(async ([what, sql]) => [what, await query(sql)] as const);
  return Object.fromEntries(await Promise.all(read)) as Outcome;
}

export function findDifferences(outcome: Outcome, undisturbed: Outcome): string[] {
  return (Object.keys(LEFT) as (keyof Outcome)[])
    .filter((what) => !isDeepStrictEqual(outcome[what], undisturbed[what]))
    .map((what) => `${what} differ: ${describe(outcome[what], undisturbed[what])}`);
}

function describe(found: object[], wanted: object[]): string {
  const at = found.findIndex((row, index) => !isDeepStrictEqual(row, wanted[index]));
  const place = at === -1 ? found.length : at;
  return `${JSON.stringify(found[place])} in the place of ${JSON.stringify(wanted[place])}`;
}

// A transfer that has no payout, or that is not of its amount, is wrong too.
const CONTRADICTIONS = {
  'is transferred so many times': `select coalesce(payout.id, 'nobody') || ' ' || count(transfer.id) as what
    from pool_payout payout
    full join simulator.transfer on transfer.transfer_group = payout.id and transfer.amount = payout.amount_minor
      and transfer.account_id = payout.account and upper(transfer.currency) = payout.currency
      and transfer.id = payout.transfer_id
    where payout.id is null or payout.period_id = any($1)
    group by payout.id having payout.id is null or count(transfer.id) <> 1`,
  'is what the ledger sums to': `select currency || ' ' || sum(amount_minor) as what
    from ledger_entry group by currency having sum(amount_minor) <> 0`,
  'is owed, and is not what is held or carried': `select owner || ' ' || currency || ' ' || sum(amount) as what
    from (
      select pool_owner_id as owner, currency, amount_minor as amount
        from ledger_entry where account = 'pool' and pool_owner_id is not null
      union all
      select coalesce(team_id, person_id), currency, -amount_minor from pool_line where payout_id is null
    ) both_sides group by owner, currency having sum(amount) <> 0`,
  'was never sent': `select workflow_id || ' ' || (message ->> 'kind') as what from outbox
    where sent_at is null`,
};

/** What is wrong with it whatever another run came to; nothing in the end. */
export async function findContradictions(
  { query }: TestDatabase,
  periodIds: readonly string[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [problem, sql] of Object.entries(CONTRADICTIONS)) {
    const values = sql.includes('$1') ? [periodIds] : [];
    const found = await query<{ what: string }>(sql, values);
    wrong.push(...found.map(({ what }) => `${what} ${problem}`));
  }
  return wrong;
}
