import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadDemoData } from '../../dev/demo/load.ts';
import { pastMonths } from '../../dev/demo/pool/members.ts';
import { checkLedger } from '../../domain/billing/ledger/ledger-check.query.ts';
import { toDay } from '../../domain/shared/instant.ts';
import { makeFolder } from '../support/engines/folder.ts';
import { startApi } from '../support/http/api.ts';

const api = await startApi();
test.after.always(() => api.close());
const { query } = api.test;

const load = (dataDir: string) =>
  loadDemoData({
    databaseUrl: api.test.ownUrl,
    dataDir,
    secretKeys: api.config.secretKeys,
    baseUrl: api.url,
    temporalUiUrl: '',
    temporalAddress: '',
    mailboxUrl: 'http://localhost:8025',
    processor: api.config.processor,
  });

const months = () => pastMonths(new Date()).map(toDay);

const PAYERS = `
  select m.person_id, p.created_at, p.gross_minor, p.returned_minor, p.status, m.billing_interval
  from payment p join membership m on m.id = p.membership_id where p.currency = 'USD'`;

test.serial('the demo has Members who paid in each of the three last months', async (t) => {
  await load(makeFolder(t));
  for (const month of months()) {
    const paid = await query<{ people: number }>(
      `select count(distinct person_id)::int as people from (${PAYERS}) paid
       where date_trunc('month', created_at at time zone 'UTC') = $1::date`,
      [month],
    );
    t.true(paid[0]!.people >= 15, month);
  }
  const [kinds] = await query(
    `select count(distinct person_id) filter (where billing_interval = 'year')::int as yearly,
       count(*) filter (where status = 'refunded' and returned_minor = gross_minor)::int as refunded,
       count(*) filter (where created_at > now())::int as later,
       count(distinct person_id) filter (where not exists (select from usage_month u
         where u.person_id = paid.person_id))::int as idle
     from (${PAYERS}) paid`,
  );
  t.deepEqual(kinds, { yearly: 1, refunded: 1, later: 0, idle: 1 });
});

test.serial('one product of the pool has enough Members for bands, one has fewer', async (t) => {
  for (const month of months()) {
    const used = await query<{ slug: string; members: number }>(
      `select slug, count(distinct u.person_id)::int as members
       from usage_month u join product_slug using (product_id)
       join included_span s on s.product_id = u.product_id
         and s.started_at <= $1::date at time zone 'UTC'
         and (s.ended_at is null or s.ended_at >= ($1::date + interval '1 month') at time zone 'UTC')
       where month = $1::date and qualifying_days <> 0
         and u.person_id in (select person_id from (${PAYERS}) paid)
       group by slug order by slug`,
      [month],
    );
    t.deepEqual(
      used.map(({ slug }) => slug),
      ['night-shift', 'tide-table'],
    );
    t.true(used[0]!.members > 0 && used[0]!.members < 10, month);
    t.true(used[1]!.members >= 12, month);
  }
});

test.serial('its money balances, and its builders may be paid by the pool', async (t) => {
  t.deepEqual(await checkLedger(api.database.em()), {});
  const accounts = await query<{ confirmed: boolean }>(
    'select pool_confirmed_by is not null as confirmed from payout_account',
  );
  t.true(accounts.length >= 2 && accounts.every(({ confirmed }) => confirmed));
  const waiting = await query(
    `select id from membership where ask_again_at is not null or is_closing`,
  );
  t.deepEqual(waiting, [], 'no workflow asks the processor about them');
});

test.serial('when demo.json was lost the Members and their money stay as they are', async (t) => {
  const folder = makeFolder(t);
  const state = () =>
    query(
      `select (select count(*) from person) as people, (select count(*) from payment) as payments,
         (select count(*) from ledger_entry) as entries, (select count(*) from usage_month) as used,
         (select count(*) from included_span) as spans`,
    );
  await load(folder);
  const before = await state();
  rmSync(join(folder, 'demo.json'));
  await load(folder);
  t.deepEqual(await state(), before);
});
