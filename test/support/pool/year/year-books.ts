// What the months of a year came to, held against the same months computed anew from today's facts.
import { readPoolInput } from '../../../../domain/pool/fees-and-days/member-months.repository.ts';
import { readPeriodId } from '../../../../domain/pool/period/pool-month.ts';
import { openPoolKey } from '../../../../domain/pool/period/period-key.ts';
import type { PoolSums } from '../../../../domain/pool/statement/balance.ts';
import { computeStatement } from '../../../../domain/pool/statement/compute-statement.ts';
import { writeStatement } from '../../../../domain/pool/statement/statement-file.ts';
import { createSha256 } from '../../../../domain/shared/sha256.ts';
import { computeMonth, type Paid } from '../computed-month.ts';
import { HASHING } from '../snapshots.ts';
import type { PoolYear } from './pool-year.ts';

type Year = Pick<PoolYear, 'scene' | 'stage'>;

/** Sums in minor units, and the amount of each product. */
type Month = Record<keyof PoolSums, number> & { products: Record<string, number> };

const noMonth = (): Month => ({
  feesMinor: 0,
  platformMinor: 0,
  productsMinor: 0,
  unattributedMinor: 0,
  products: {},
});

/** By month: its own statement with the corrections of all later ones. */
export async function sumUpStatements(
  { scene, stage }: Year,
  periodIds: readonly string[],
): Promise<Record<string, Month>> {
  const months = Object.fromEntries(periodIds.map((id) => [readPeriodId(id).month, noMonth()]));
  for (const periodId of periodIds) {
    const { status } = await scene.readPeriod(periodId);
    if (status === 'empty') continue;
    const { period, sums, corrections } = await recompute({ scene, periodId });
    addSums(months[period]!, sums);
    for (const { terms, sums: corrected } of corrections) {
      addSums(months[terms.period]!, corrected);
    }
  }
  const lines = await stage.testDatabase.query<{ month: string; product: string; sum: number }>(
    `select to_char(month, 'YYYY-MM') as month, product_id as product, sum(amount_minor)::int as sum
     from pool_line where period_id = any($1) group by 1, 2 having sum(amount_minor) <> 0`,
    [periodIds],
  );
  for (const { month, product, sum } of lines) months[month]!.products[product] = sum;
  return months;
}

/** The statement of the stored snapshot; it is the stored one, byte for byte. */
async function recompute({ scene, periodId }: Pick<Year, 'scene'> & { periodId: string }) {
  const snapshot = await scene.readText({ periodId, file: 'snapshot' });
  const statement = await computeStatement([snapshot], HASHING);
  const stored = await scene.readText({ periodId, file: 'statement' });
  const { text } = writeStatement(statement, createSha256);
  if (text !== stored) throw new Error(`the statement of ${periodId} is another one`);
  return statement;
}

function addSums(month: Month, sums: PoolSums): void {
  for (const key of Object.keys(sums) as (keyof PoolSums)[]) month[key] += Number(sums[key]);
}

/** By month: as if it were frozen and computed now, once and for all. */
export async function computeAnew(
  { scene, stage }: Year,
  periodIds: readonly string[],
): Promise<Record<string, Month>> {
  const months: Record<string, Month> = {};
  for (const id of periodIds) {
    const { month: name, currency } = readPeriodId(id);
    const { encrypted_key: encryptedKey, pool_share_bps: poolShareBps } =
      await scene.readPeriod(id);
    const key = openPoolKey(scene.encryptor, { id, encryptedKey });
    const terms = { period: name, rule: 'user-centric-1', poolShareBps: Number(poolShareBps) };
    const members: Paid[] = [];
    for await (const batch of readPoolInput(stage.database, { month: name, currency })) {
      for (const { personId, netMinor, products } of batch) {
        const days = Object.fromEntries(products.map((used) => [used.productId, used.days]));
        members.push({ personId, netMinor, days });
      }
    }
    const period = { key, terms };
    const given = { period, currency, members, corrections: [], monthOf: () => period };
    const { statement, lines } = await computeMonth(given);
    const month = noMonth();
    addSums(month, statement.sums);
    for (const { productId, amountMinor } of lines) {
      if (amountMinor !== 0n) month.products[productId] = Number(amountMinor);
    }
    months[name] = month;
  }
  return months;
}

/** What a period moved: its row, its lines and the ledger, which are to agree. */
export async function readMoved({ stage }: Year, periodId: string) {
  const [moved] = await stage.testDatabase.query<Record<string, number>>(
    `select fees_minor::int as fees,
       (platform_minor + products_minor + unattributed_minor)::int as parts,
       products_minor::int as products, unattributed_minor::int as unattributed,
       (select coalesce(sum(amount_minor), 0)::int from pool_line where period_id = period.id)
         as lines,
       (select coalesce(sum(amount_minor), 0)::int from ledger_entry
         where pool_period_id = period.id and account = 'pool' and kind = 'pool_share') as shares,
       (select coalesce(sum(amount_minor), 0)::int from ledger_entry
         where pool_period_id = period.id and account = 'unattributed') as kept
     from pool_period period where id = $1`,
    [periodId],
  );
  return moved!;
}

/** Of each account of the simulator: what came, and what the lines of its owner say of it. */
export function readReceived({ stage }: Year) {
  return stage.testDatabase.query<{ transferred: number; lines: number; waiting: number }>(
    `select
       (select coalesce(sum(amount), 0)::int from simulator.transfer
         where account_id = account.processor_account) as transferred,
       (select coalesce(sum(amount_minor), 0)::int from pool_line
         where coalesce(team_id, person_id) = coalesce(account.team_id, account.person_id)
           and status = 'paid') as lines,
       (select coalesce(sum(amount_minor), 0)::int from pool_line
         where coalesce(team_id, person_id) = coalesce(account.team_id, account.person_id)
           and status <> 'paid') as waiting
     from payout_account account order by processor_account`,
  );
}

/** What the ledger's accounts hold in the end. */
export async function readAccounts({ stage }: Year): Promise<Record<string, number>> {
  const accounts = await stage.testDatabase.query<{ account: string; sum: number }>(
    `select account, sum(amount_minor)::int as sum from ledger_entry group by account`,
  );
  return Object.fromEntries(accounts.map(({ account, sum }) => [account, sum]));
}
