import test from 'ava';
import pg from 'pg';
import { listPopularIn, readShelves } from '../../../domain/catalog/search/shelves.repository.ts';
import { loadStoreProducts } from '../../../domain/catalog/storefront-list.repository.ts';
import { findBadgeFacts, findOffering } from '../../../domain/catalog/storefront-product.query.ts';
import { recordClick } from '../../../domain/billing/checkout/click.query.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

// At 3,000 a plan that reads them whole costs about as much, and was chosen now and then.
const PRODUCTS = 10_000;

test.before(async () => {
  await testDatabase.query(`
    insert into person (id, handle, display_name, email)
    select gen_random_uuid(), 'maker_' || n, 'Maker', n || '@example.com' from generate_series(1, ${PRODUCTS}) n;
    insert into team (id, name) select id, handle from person where id::text < '8';
    insert into team_member (team_id, person_id, role) select id, id, 'owner' from team;
    insert into product (id, owner_person_id, owner_team_id, name, tagline, state, listed_at)
    select gen_random_uuid(), case when t.id is null then p.id end, t.id, handle,
      'Does one thing well.', 'listed', now()
    from person p left join team t using (id);
    insert into product_slug (slug, product_id) select replace(name, '_', '-'), id from product;
    insert into payout_account (id, person_id, processor_account, can_charge)
    select gen_random_uuid(), id, 'acct_' || id, true from person;
    insert into seal (product_id, state) select id, 'held' from product;
    insert into seal_review (product_id, week, is_passed, criteria, state)
    select id, date '2026-01-05' + 7 * n, true, '[]', 'held'
    from product, generate_series(1, 3) n;
    insert into listing (product_id) select id from product;
    insert into release (id, product_id, version, source)
    select gen_random_uuid(), id, n::text, 'hand' from product, generate_series(1, 3) n;
    insert into image (hash, width, bytes, other_hash)
    select repeat(n::text, 32), 256, '\\x00', repeat('a', 32) from generate_series(0, 3) n;
    insert into product_image (product_id, position, kind, hash, alt)
    select id, n, case when n = 0 then 'icon' else 'screenshot' end, repeat(n::text, 32), 'It.'
    from product, generate_series(0, 3) n;
    insert into offer (id, product_id, kind, is_default)
    select gen_random_uuid(), id, 'one_time', true from product;
    insert into price (id, offer_id, currency, amount_minor, is_base)
    select gen_random_uuid(), id, 'USD', 1900, true from offer`);
  await testDatabase.query(`
    insert into product_search (product_id, name, category, platforms, is_included, is_sealed,
      popularity, listed_at, name_words, line_words, words)
    select id, name, (array['games', 'news', 'media'])[1 + n % 3], '{}', n % 3 = 0, n % 3 = 0, n % 9, now(),
      '', '', ''
    from (select id, name, (row_number() over ())::int as n from product)`);
  await testDatabase.query('vacuum analyze');
});

/** The plan of the one statement that a read sends, for any values. */
async function planOf(read: (pool: pg.Pool) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const query = async ({ text }: { text: string }) => {
    texts.push(text);
    return { rows: [] };
  };
  await read({ query } as unknown as pg.Pool);
  const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan, costs off) ${texts.join('\n')}`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** Scans that read a whole table: those without a condition on their index. */
function findWholeScans(plan: string): string[] {
  const lines = plan.split('\n');
  return lines.filter((line, n) => {
    return (
      /(Seq|Index|Index Only) Scan .*\bon\b/.test(line) &&
      !/^\s*Index Cond:/.test(lines[n + 1] ?? '')
    );
  });
}

const attribution = { serviceCampaign: null, serviceCampaignRaw: null };
const click = { ref: 'a', attribution, resumedId: null, isAutomatic: false };

const READS: Record<string, (pool: pg.Pool) => Promise<unknown>> = {
  'a product page': (pool) => findOffering(pool, 'a'),
  'a badge': (pool) => findBadgeFacts(pool, 'a'),
  'a click on a buy link': (pool) => recordClick(pool, click as never),
};

for (const [name, read] of Object.entries(READS)) {
  test(`${name} reads no table whole, however many products there are`, async (t) => {
    const plan = await planOf(read);
    t.true(plan.includes('product_slug_pkey'), plan);
    t.deepEqual(findWholeScans(plan), [], plan);
  });
}

/** The plans of what a read of the ORM sends, for any values. */
async function plansOf(read: () => Promise<unknown>): Promise<string[]> {
  const texts = new Set<string>();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (
    this: pg.Client,
    given: { text?: string },
    ...rest: unknown[]
  ) {
    if (given.text?.startsWith('select')) texts.add(given.text);
    return (query as (...all: unknown[]) => unknown).call(this, given, ...rest);
  } as typeof query;
  await read().finally(() => (pg.Client.prototype.query = query));
  const plans = [];
  for (const text of texts) {
    const rows = await testDatabase.query<{ 'QUERY PLAN': string }>(
      `explain (generic_plan, costs off) ${text}`,
    );
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

const em = () => database.em();
const ANY = '00000000-0000-7000-8000-000000000000';

const LISTS: Record<string, { read: () => Promise<unknown>; index: string }> = {
  'the cards of products': {
    read: () => loadStoreProducts(database, [ANY]),
    index: 'product_pkey',
  },
  'others of a category': {
    read: () => listPopularIn(em(), { category: 'games', most: 6 }),
    index: 'product_search_category',
  },
};

for (const [name, { read, index }] of Object.entries(LISTS)) {
  test.serial(`the statement for ${name} uses an index`, async (t) => {
    const [plan = ''] = await plansOf(read);
    t.true(plan.includes(index), plan);
    t.false(plan.includes('Seq Scan'), plan);
  });
}

test.serial('each shelf of the store is the beginning of an index', async (t) => {
  const plans = await plansOf(() => readShelves(em()));
  t.is(plans.length, 6, 'sealed, new, popular, Included, categories, one of them');
  for (const plan of plans) t.regex(plan, /Limit\n +-> {2}Index (Only )?Scan using/, plan);
});
