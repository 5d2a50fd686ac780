import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadDemoData, type DemoData } from '../../dev/demo/load.ts';
import { createProcessor } from '../../clients/processor/processor.ts';
import { judgeSeal } from '../../domain/seal/criteria.ts';
import { readSealFigures } from '../../domain/seal/figures.query.ts';
import { reviewedDays } from '../../domain/seal/review-week.ts';
import { pastMonths } from '../../dev/demo/pool/members.ts';
import { writePastMonth } from '../../dev/demo/pool/past-month.ts';
import { checkLedger } from '../../domain/billing/ledger/ledger-check.query.ts';
import { listMemberPrices } from '../../domain/billing/memberships/member-price.repository.ts';
import { monthOf, toDay } from '../../domain/shared/instant.ts';
import { makeFolder } from '../support/engines/folder.ts';
import { startApi } from '../support/http/api.ts';
import { basic, postToken, readProfile } from '../support/identity/oauth.ts';

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

test.serial(
  'the demo has a confidential client with two redirect URIs, a public and a native one',
  async (t) => {
    const { products } = await load(makeFolder(t));
    const { clients } = products.find(({ slug }) => slug === 'paper-trail')!;
    t.deepEqual(
      clients.map(({ kind }) => kind),
      ['confidential', 'public', 'native'],
    );
    const [web, spa, native] = clients;
    t.is(web!.redirect_uris.length, 2);
    t.true(web!.redirect_uris.some((uri) => uri.includes('?')));
    t.deepEqual(native!.redirect_uris, ['http://127.0.0.1/callback']);
    t.is(spa!.client_secret, null);
    const response = await postToken(api, {
      headers: { authorization: basic(web!.client_id, web!.client_secret!) },
      fields: { grant_type: 'authorization_code', code: 'gac_x' },
    });
    t.like(await response.json(), { error: 'invalid_grant' });
  },
);

test.serial('its tokens act for the buyer, one for each set of scopes', async (t) => {
  const { tokens, people } = await load(makeFolder(t));
  const buyer = people.find(({ roles }) => roles.includes('buyer'))!;
  t.deepEqual(
    tokens.map(({ scope }) => scope),
    ['identity', 'identity entitlements'],
  );
  for (const { token, person_id: personId, product_id: productId, scope } of tokens) {
    t.is(personId, buyer.id);
    const profile = (await (await readProfile(api, token)).json()) as {
      id: string;
      entitlement?: { product_id: string };
    };
    t.is(profile.id, buyer.id);
    t.is(profile.entitlement?.product_id, scope.includes('entitlements') ? productId : undefined);
  }
});

test.serial(
  'when demo.json was lost its clients and tokens are dead, and new ones are made',
  async (t) => {
    const folder = makeFolder(t);
    const before = await load(folder);
    rmSync(join(folder, 'demo.json'));
    const after = await load(folder);
    t.is((await readProfile(api, before.tokens[0]!.token)).status, 404);
    t.is((await readProfile(api, after.tokens[0]!.token)).status, 200);
  },
);

test.serial(
  'its products open on this machine, unless somebody has typed another address',
  async (t) => {
    const folder = makeFolder(t);
    await load(folder);
    const websiteOf = async (slug: string) => {
      const sql = `select website_url from product where id = (select product_id from product_slug where slug = $1)`;
      return (await query<{ website_url: string }>(sql, [slug]))[0]!.website_url;
    };
    const placed = 'http://localhost:8025/products/tide-table';
    t.is(await websiteOf('tide-table'), placed);
    const typed = 'https://tides.example/';
    const sql = `update product set website_url = $2 where id = (select product_id from product_slug where slug = $1)`;
    await query(sql, ['tide-table', 'http://localhost:1/products/tide-table']);
    await query(sql, ['paper-trail', typed]);
    await load(folder);
    t.is(await websiteOf('tide-table'), placed);
    t.is(await websiteOf('paper-trail'), typed);
  },
);

const months = () => pastMonths(new Date()).map(toDay);

const PAYERS = `
  select m.person_id, p.created_at, p.gross_minor, p.returned_minor, p.status, m.billing_interval
  from payment p join membership m on m.id = p.membership_id where p.currency = 'USD'`;

let demo: DemoData;

test.serial('the demo has Members who paid in each of the three last months', async (t) => {
  demo = await load(makeFolder(t));
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
  const waiting = await query<{ handle: string }>(
    `select handle from membership m join person on person.id = m.person_id
     where ask_again_at is not null or is_closing`,
  );
  t.deepEqual(waiting, [{ handle: 'mia' }], 'no workflow asks the processor about the others');
});

type Renewing = { processorId: string; status: string; periodEnd: Date };

test.serial(
  'its Member pays for a membership that renews, here and at the processor',
  async (t) => {
    const member = demo.people.find(({ roles }) => roles.includes('member'))!;
    const [membership, ...others] = await query<Renewing>(
      `select processor_id as "processorId", status, period_end as "periodEnd" from membership
     where person_id = $1 and status <> 'ended'`,
      [member.id],
    );
    t.deepEqual(others, []);
    t.is(membership!.status, 'active');
    t.true(membership!.periodEnd > new Date());
    const browser = api.browser();
    await browser.signIn(member);
    const page = await (await browser.get('/member')).text();
    t.regex(page, /9\.99 USD[\s\S]*Renews[\s\S]*href="\/member\/cancel"/);
    const processor = createProcessor(api.config.processor);
    const reading = await processor.readSubscription(membership!.processorId);
    t.is(reading.status, 'active');
    t.deepEqual(
      reading.charges.map(({ periodEnd }) => periodEnd),
      [membership!.periodEnd],
    );
  },
);

test.serial('the seals say what the evidence, the sales and the deliveries say', async (t) => {
  const reviews = await query<{ id: string; slug: string; week: string; criteria: unknown }>(
    `select product_id as id, slug, to_char(week, 'YYYY-MM-DD') as week, criteria
     from seal_review join product_slug using (product_id)`,
  );
  t.is(reviews.length, 16);
  for (const { id, slug, week, criteria } of reviews) {
    const reviewed = { productIds: [id], ...reviewedDays(week) };
    const figures = await readSealFigures(api.database.pool, reviewed);
    t.deepEqual(criteria, judgeSeal(figures.get(id)!), `${slug}, ${week}`);
  }
  const seals = await query(
    `select slug, seal.state from seal join product_slug using (product_id) order by slug`,
  );
  t.deepEqual(seals, [
    { slug: 'paper-trail', state: 'held' },
    { slug: 'tide-table', state: 'none' },
  ]);
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
