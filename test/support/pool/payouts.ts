import { randomBytes } from 'node:crypto';
import {
  beginTransfer,
  recordTransfer,
} from '../../../domain/pool/payout-lines/transfer.repository.ts';
import { readPeriodId } from '../../../domain/pool/period/pool-month.ts';
import type { TransferOutcome } from '../../../domain/pool/payout-lines/transfer-schedule.ts';
import { settlePeriod } from '../../../domain/pool/payout-lines/settle-period.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { TestDatabase } from '../engines/database.ts';
import { insertPeriod } from './insert-period.ts';

export type PoolOwner = { personId: string; productId: string; account: string | null };

type NewOwner = { account?: string | null; canReceive?: boolean; isConfirmed?: boolean };

/** A lone builder with a product; with a confirmed payout account unless told otherwise. */
export async function addPoolOwner(
  { query }: Pick<TestDatabase, 'query'>,
  given: NewOwner = {},
): Promise<PoolOwner> {
  const { canReceive = true, isConfirmed = true } = given;
  const account = given.account === undefined ? newAccount() : given.account;
  const [personId, productId] = [newUuid(), newUuid()];
  const handle = personId.replaceAll('-', '').slice(-20);
  await query(
    `insert into person (id, handle, display_name, email, email_verified_at)
     values ($1, $2, 'P', $2 || '@example.com', gatehouse_now())`,
    [personId, handle],
  );
  await query(
    `insert into product (id, owner_person_id, name, tagline, state) values ($1, $2, 'P', '', 'listed')`,
    [productId, personId],
  );
  if (account !== null) {
    const confirmedBy = isConfirmed ? personId : null;
    await addPayoutAccount({ query }, { personId, account, canReceive, confirmedBy });
  }
  return { personId, productId, account };
}

/** A team without members, whose first payout is confirmed. */
export async function addPoolTeam(
  { query }: Pick<TestDatabase, 'query'>,
  account: string,
): Promise<string> {
  const teamId = newUuid();
  const { personId } = await addPoolOwner({ query });
  await query(`insert into team (id, name) values ($1, 'Team')`, [teamId]);
  await addPayoutAccount({ query }, { teamId, account, confirmedBy: personId });
  return teamId;
}

type NewPayoutAccount = {
  personId?: string;
  teamId?: string;
  account: string;
  canReceive?: boolean;
  /** The operator who confirmed the first payout. */
  confirmedBy: string | null;
};

/** The account of a lone builder or of a team. */
export async function addPayoutAccount(
  { query }: Pick<TestDatabase, 'query'>,
  { personId, teamId, account, canReceive = true, confirmedBy }: NewPayoutAccount,
): Promise<void> {
  await query(
    `insert into payout_account (id, person_id, team_id, processor_account, can_charge, is_submitted,
       pool_confirmed_at, pool_confirmed_by)
     values ($1, $2, $3, $4, $5, true, case when $6::uuid is not null then gatehouse_now() end, $6)`,
    [newUuid(), personId ?? null, teamId ?? null, account, canReceive, confirmedBy],
  );
}

const newAccount = () => `acct_${randomBytes(8).toString('hex')}`;

export type GivenLine = { to: PoolOwner; amountMinor: number; month?: string };

type NewPeriod = { month: string; currency?: string; unattributedMinor?: number };

/** An approved period that gives these amounts; a line of another month is a correction. */
export async function addApprovedPeriod(
  { query }: Pick<TestDatabase, 'query'>,
  { month, currency = 'EUR', unattributedMinor = 0 }: NewPeriod,
  lines: readonly GivenLine[],
): Promise<string> {
  const periodId = `${month}:${currency}`;
  const productsMinor = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const sums = { platformMinor: 0, productsMinor, unattributedMinor };
  await insertPeriod({ query }, { id: periodId, status: 'approved', sums });
  for (const { to, amountMinor, month: corrected = month } of lines) {
    await query(
      `insert into pool_line (period_id, currency, product_id, month, person_id, amount_minor, members,
         qualified_days, bands) values ($1, $2, $3, $4, $5, $6, 1, 1, '[]')`,
      [periodId, currency, to.productId, `${corrected}-01`, to.personId, amountMinor],
    );
  }
  return periodId;
}

/** As the activity does it, with the simulator. */
export const settle = (
  database: Database,
  periodId: string,
  { isLive = false, step = 1 }: { isLive?: boolean; step?: number } = {},
) => database.transaction((em) => settlePeriod(em, { periodId, isLive, stepMinor: () => step }));

let monthsPaid = 0;

/** Each is before the one before, so that it pays nothing that another left. */
function nextMonth(): string {
  const month = new Date(Date.UTC(2025, 11 - monthsPaid));
  monthsPaid += 1;
  return month.toISOString().slice(0, 7);
}

type Parts = { testDatabase: Pick<TestDatabase, 'query'>; database: Database };
type NewPayout = { amountMinor: number; account?: string; month?: string };

/** A payout of EUR to a lone builder, whose first attempt is due. */
export async function addDuePayout(
  { testDatabase, database }: Parts,
  { amountMinor, month = nextMonth(), ...given }: NewPayout,
) {
  const owner = await addPoolOwner(testDatabase, given);
  const periodId = await addApprovedPeriod(testDatabase, { month }, [{ to: owner, amountMinor }]);
  await settle(database, periodId);
  return { owner, periodId, payoutId: payoutIdOf(periodId, owner) };
}

export const payoutIdOf = (periodId: string, { personId }: PoolOwner) => {
  const { month, currency } = readPeriodId(periodId);
  return `pool-${month}-${personId}-${currency}`;
};

/** What the ledger still owes an owner, and whether all of it sums to zero. */
export async function readPoolLedger(
  { query }: Pick<TestDatabase, 'query'>,
  owner: PoolOwner,
): Promise<{ owedMinor: number; sumMinor: number }> {
  const [found] = await query<{ owed: string; sum: string }>(
    `select coalesce(sum(amount_minor) filter (where account = 'pool'), 0) as owed,
       coalesce(sum(amount_minor), 0) as sum
     from ledger_entry where pool_owner_id = $1`,
    [owner.personId],
  );
  return { owedMinor: Number(found!.owed), sumMinor: Number(found!.sum) };
}

/** How lines, payouts, their transfers, periods and alerts stand. */
export function createPoolViews({ query }: Pick<TestDatabase, 'query'>) {
  return {
    /** Period, status and payout of each line of an owner. */
    async linesOf({ personId }: PoolOwner) {
      const lines = await query<{ period_id: string; status: string; payout_id: string | null }>(
        'select period_id, status, payout_id from pool_line where person_id = $1 order by id',
        [personId],
      );
      return lines.map((line) => [line.period_id, line.status, line.payout_id]);
    },
    payoutsOf: ({ personId }: PoolOwner) =>
      query<{ id: string; amount_minor: string; status: string; account: string }>(
        'select id, amount_minor, status, account from pool_payout where person_id = $1 order by id',
        [personId],
      ),
    async periodOf(id: string) {
      const [row] = await query<{ status: string; problem: string | null; paid_at: Date | null }>(
        'select status, problem, paid_at from pool_period where id = $1',
        [id],
      );
      return row!;
    },
    /** What the simulator has made of a payout. */
    transfersOf: (payoutId: string) =>
      query<{ id: string; amount: string; account_id: string }>(
        'select id, amount, account_id from simulator.transfer where transfer_group = $1',
        [payoutId],
      ),
    alertsOf: (subject: string) =>
      query<{ kind: string; times: number }>(
        'select kind, times from alert where subject = $1 and resolved_at is null order by kind',
        [subject],
      ),
  };
}

/** Attempts of transfers without a processor. */
export function createAttempts(database: Database) {
  async function attempt(payoutId: string, outcome: TransferOutcome) {
    const begun = await database.transaction((em) => beginTransfer(em, payoutId));
    if (!begun) throw new Error('it is not due');
    await database.transaction((em) => recordTransfer(em, { ...begun, outcome }));
  }
  const pay = (payoutId: string) =>
    attempt(payoutId, { is: 'made', transferId: `tr_${newUuid()}` });
  return { attempt, pay };
}
