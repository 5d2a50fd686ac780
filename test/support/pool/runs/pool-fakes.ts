// The steps of a period without Members: each moves the row as the real one does, and no more.
import { createHash } from 'node:crypto';
import type { TestDatabase } from '../../engines/database.ts';

type OfPeriod = { periodId: string };

type PoolFakes = ReturnType<typeof createPoolFakes>;

/** What the steps meet. Each call of a step is noted with the id of its period. */
export function createPoolFakes() {
  const world = {
    /** Periods with charges; all others close themselves. */
    charged: new Set<string>(),
    /** Why a step of a period cannot be made, while it is set: `<step> <period>`. */
    problems: new Map<string, string>(),
    /** Payouts of a period, once it is approved. */
    payouts: new Map<string, string[]>(),
    calls: [] as string[],
  };
  return {
    ...world,
    activities: ({ testDatabase }: { testDatabase: TestDatabase }) =>
      createSteps(testDatabase, world),
  };
}

const FREEZE = `
  update pool_period set status = 'frozen', pool_share_bps = 7000, freeze_began_at = gatehouse_now(),
    frozen_at = gatehouse_now(), snapshot_sha256 = $2
  where id = $1 and status = 'open'`;

const CLOSE_EMPTY = `update pool_period set status = 'empty' where id = $1 and status = 'open'`;

const COMPUTE = `
  update pool_period set status = 'computed', computed_at = gatehouse_now(), problem = null,
    statement_sha256 = snapshot_sha256, fees_minor = 999, platform_minor = 300,
    products_minor = 699, unattributed_minor = 0, members = 1, members_without_days = 0
  where id = $1 and status = 'frozen'`;

const PAY = `
  with moved as (update pool_period set problem = null, status = $2::text,
      paid_at = case $2::text when 'paid' then gatehouse_now() end
    where id = $1 and status = 'approved' returning id, currency, approved_by)
  insert into pool_payout (id, period_id, person_id, currency, amount_minor, account)
  select payout, moved.id, approved_by, currency, 699, 'acct_1'
  from moved, unnest($3::text[]) payout`;

type World = Omit<PoolFakes, 'activities'>;

function createSteps({ query }: TestDatabase, { charged, problems, payouts, calls }: World) {
  const note = (step: string, periodId: string) => {
    calls.push(`${step} ${periodId}`);
    return problems.get(`${step} ${periodId}`) ?? null;
  };
  const statusOf = async (periodId: string) => {
    const sql = 'select status from pool_period where id = $1';
    return (await query<{ status: string }>(sql, [periodId]))[0]!.status;
  };
  const stop = (periodId: string, problem: string) =>
    query('update pool_period set problem = $2 where id = $1', [periodId, problem]);
  return {
    async freezePool({ periodId }: OfPeriod) {
      note('freeze', periodId);
      const sha256 = createHash('sha256').update(periodId).digest('hex');
      if (charged.has(periodId)) await query(FREEZE, [periodId, sha256]);
      else await query(CLOSE_EMPTY, [periodId]);
      return { status: await statusOf(periodId) };
    },

    async computePool({ periodId }: OfPeriod) {
      const problem = note('compute', periodId);
      if (problem !== null) {
        await stop(periodId, problem);
        return { status: 'frozen', problem };
      }
      await query(COMPUTE, [periodId]);
      return { status: await statusOf(periodId) };
    },

    async previewPool({ periodId }: OfPeriod) {
      const problem = note('preview', periodId);
      if (problem !== null) throw new Error(problem);
      return { status: await statusOf(periodId) };
    },

    async reviewPool({ periodId }: OfPeriod) {
      note('review', periodId);
      const sql = `update pool_period set status = 'in_review' where id = $1 and status = 'computed'`;
      await query(sql, [periodId]);
      return { listed: 0 };
    },

    async startPoolPayouts({ periodId }: OfPeriod) {
      const problem = note('pay', periodId);
      if (problem !== null) {
        await stop(periodId, problem);
        return { status: 'approved', problem };
      }
      const ids = payouts.get(periodId) ?? [];
      await query(PAY, [periodId, ids.length === 0 ? 'paid' : 'paying', ids]);
      return { status: await statusOf(periodId), problem: null };
    },
  };
}
