import { replaceAlerts } from '../../alerts/alert.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

// A statement over so many entries takes a fraction of its time limit.
const RANGE = 1_000_000n;

/**
 * Adds up each currency and stores the result: the currencies that are not zero. The first statement
 * of its transaction: all ranges see the same entries.
 */
export async function checkLedger(em: EntityManager): Promise<Record<string, string>> {
  await rows(em, 'set transaction isolation level repeatable read');
  const unbalanced = await findUnbalanced(em);
  await rows(em, 'insert into ledger_check (unbalanced) values (?)', [JSON.stringify(unbalanced)]);
  const alerts = Object.entries(unbalanced).map(([subject, left]) => ({
    subject,
    detail: { left },
  }));
  await replaceAlerts(em, 'ledger_unbalanced', alerts);
  return unbalanced;
}

async function findUnbalanced(em: EntityManager): Promise<Record<string, string>> {
  const [last] = await rows<{ id: string | null }>(
    em,
    'select max(id)::text as id from ledger_entry',
  );
  const sums = new Map<string, bigint>();
  for (let from = 0n; from < BigInt(last?.id ?? 0); from += RANGE) {
    const found = await rows<{ currency: string; sum: string }>(
      em,
      `select currency, sum(amount_minor)::text as sum from ledger_entry
       where id > ? and id <= ? group by currency`,
      [from, from + RANGE],
    );
    for (const { currency, sum } of found) {
      sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(sum));
    }
  }
  const unbalanced = [...sums].filter(([, sum]) => sum !== 0n);
  return Object.fromEntries(unbalanced.map(([currency, sum]) => [currency, String(sum)]));
}

/** The result of the last check and its age; null before the first one. */
export async function readLedgerCheck(em: EntityManager) {
  const [row] = await rows<{ unbalanced: number; ageS: number }>(
    em,
    `select (select count(*)::int from jsonb_object_keys(unbalanced)) as unbalanced,
       extract(epoch from gatehouse_now() - at)::float as "ageS"
     from ledger_check order by id desc limit 1`,
  );
  return row ?? null;
}
