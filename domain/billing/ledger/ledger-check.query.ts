import { replaceAlerts } from '../../alerts/alert.repository.ts';
import { rows, type EntityManager } from '../../../platform/database/database.ts';

/** Adds up each currency and stores the result: the currencies that are not zero. */
export async function checkLedger(em: EntityManager): Promise<Record<string, string>> {
  const [row] = await rows<{ unbalanced: Record<string, string> }>(
    em,
    `insert into ledger_check (unbalanced)
     select coalesce(json_object_agg(currency, left_over::text), '{}') from (
       select currency, sum(amount_minor) as left_over from ledger_entry
       group by currency having sum(amount_minor) <> 0
     ) found returning unbalanced`,
  );
  const { unbalanced } = row!;
  const alerts = Object.entries(unbalanced).map(([subject, left]) => ({
    subject,
    detail: { left },
  }));
  await replaceAlerts(em, 'ledger_unbalanced', alerts);
  return unbalanced;
}

/** The result of the last check and its age; null before the first one. */
export async function readLedgerCheck(
  em: EntityManager,
): Promise<{ unbalanced: number; ageS: number } | null> {
  const [row] = await rows<{ unbalanced: number; ageS: number }>(
    em,
    `select (select count(*)::int from jsonb_object_keys(unbalanced)) as unbalanced,
       extract(epoch from gatehouse_now() - at)::float as "ageS"
     from ledger_check order by id desc limit 1`,
  );
  return row ?? null;
}
