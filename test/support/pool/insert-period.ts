import { readPeriodId } from '../../../domain/pool/period/pool-month.ts';
import { isApprovedStatus } from '../../../domain/pool/payout-lines/line-state.ts';
import type { PeriodView } from '../../../domain/pool/operator-views/periods.repository.ts';
import type { TestDatabase } from '../engines/database.ts';

export type NewPeriod = {
  /** `2026-10:EUR`. */
  id: string;
  status?: PeriodView['status'];
  encryptedKey?: string;
  problem?: string;
  /** Of a period that is frozen; its fees are their sum. */
  sums?: { platformMinor: number; productsMinor: number; unattributedMinor: number };
  members?: { all: number; withoutDays: number };
};

const NOTHING = { platformMinor: 0, productsMinor: 0, unattributedMinor: 0 };

/** A period without its lines and files; every frozen one has sums, as an approved one. */
export async function insertPeriod(
  { query }: Pick<TestDatabase, 'query'>,
  given: NewPeriod,
): Promise<void> {
  const { id, status = 'open', encryptedKey = null, problem = null, sums = NOTHING } = given;
  const { month, currency } = readPeriodId(id);
  const opened = status === 'empty' ? 'empty' : 'open';
  await query(
    `insert into pool_period (id, month, currency, status, rule, encrypted_key, freeze_due_at, problem)
     values ($1, $2::date, $3, $4, 'user-centric-1', $5,
       $2::date + interval '1 month' + interval '72 hours', $6)`,
    [id, `${month}-01`, currency, opened, encryptedKey, problem],
  );
  if (opened === status) return;
  const { platformMinor, productsMinor, unattributedMinor } = sums;
  const { all, withoutDays } = given.members ?? { all: 1, withoutDays: 0 };
  await query(
    `update pool_period set status = $2, pool_share_bps = 7000, freeze_began_at = gatehouse_now(),
       frozen_at = gatehouse_now(), snapshot_sha256 = repeat('a', 64),
       computed_at = gatehouse_now(), statement_sha256 = repeat('b', 64),
       fees_minor = $3::bigint + $4::bigint + $5::bigint, platform_minor = $3, products_minor = $4,
       unattributed_minor = $5, members = $6, members_without_days = $7,
       approved_at = case when $8 then gatehouse_now() end
     where id = $1`,
    [
      id,
      status,
      platformMinor,
      productsMinor,
      unattributedMinor,
      all,
      withoutDays,
      isApprovedStatus(status),
    ],
  );
}
