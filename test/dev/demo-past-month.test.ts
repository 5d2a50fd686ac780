import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadDemoData, type DemoData } from '../../dev/demo/load.ts';
import { pastMonths } from '../../dev/demo/pool/members.ts';
import { writePastMonth } from '../../dev/demo/pool/past-month.ts';
import { checkLedger } from '../../domain/billing/ledger/ledger-check.query.ts';
import { monthOf } from '../../domain/billing/ledger/statement.ts';
import { listMemberPrices } from '../../domain/billing/memberships/member-price.repository.ts';
import { findParent } from '../support/engines/folder.ts';
import { startApi } from '../support/http/api.ts';

const api = await startApi();
const folder = mkdtempSync(join(findParent(), 'gatehouse-demo-'));
test.after.always(async () => {
  rmSync(folder, { recursive: true });
  await api.close();
});
const { query } = api.test;

let demo: DemoData;

test.before(async () => {
  demo = await loadDemoData({
    databaseUrl: api.test.ownUrl,
    dataDir: folder,
    secretKeys: api.config.secretKeys,
    baseUrl: api.url,
    temporalUiUrl: '',
    temporalAddress: '',
    mailboxUrl: 'http://localhost:8025',
    processor: api.config.processor,
  });
});

async function walk(currencies?: readonly string[]) {
  const { id: personId } = await api.seed.person();
  const operatorId = demo.people.find(({ roles }) => roles.includes('operator'))!.id;
  const productId = demo.products.find(({ slug }) => slug === 'tide-table')!.id;
  const facts = { personId, productId, operatorId, ...(currencies && { currencies }) };
  const written = await api.database.transaction((em) => writePastMonth(em, facts));
  return { personId, productId, written };
}

test.serial(
  'a walk writes charges and evidence of a past month, in a currency of its own',
  async (t) => {
    const { personId, productId, written } = await walk();
    t.is(written?.currency, 'EUR');
    const paid = await query<{ month: string; status: string }>(
      `select to_char(p.created_at at time zone 'UTC', 'YYYY-MM') as month, p.status
     from payment p join membership m on m.id = membership_id
     where m.person_id = $1 and p.currency = 'EUR'`,
      [personId],
    );
    t.deepEqual(paid, [{ month: written!.month, status: 'succeeded' }]);
    const used = await query(
      `select qualifying_days <> 0 as "isQualified" from usage_month
     where person_id = $1 and product_id = $2 and month = $3`,
      [personId, productId, `${written!.month}-01`],
    );
    t.deepEqual(used, [{ isQualified: true }]);
    const [others] = await query<{ people: number }>(
      `select count(distinct person_id)::int as people from membership where currency = 'EUR'`,
    );
    t.true(others!.people > 12);
    t.deepEqual(await checkLedger(api.database.em()), {});
  },
);

test.serial('the store sells Member as before', async (t) => {
  const prices = await listMemberPrices(api.database.em());
  t.deepEqual([...new Set(prices.map(({ currency }) => currency))], ['USD']);
});

test.serial('each walk has another month or currency, until none is left', async (t) => {
  const months = new Set<string>();
  for (;;) {
    const { written } = await walk(['CHF']);
    if (written === null) break;
    t.is(written.currency, 'CHF');
    t.false(months.has(written.month));
    months.add(written.month);
  }
  // In the first days of a month the last one is not frozen yet.
  t.true(months.size >= 2 && months.size <= 3);
  const newest = monthOf(pastMonths(new Date()).at(-1)!);
  t.true([...months].every((month) => month <= newest));
});
