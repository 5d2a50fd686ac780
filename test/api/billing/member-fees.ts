import test from 'ava';
import { newUuid } from '../../../domain/shared/ids.ts';
import { writeMonth } from '../../../domain/shared/instant.ts';
import { monthsAgo } from '../../support/pool/pool-facts.ts';
import { createPoolRows } from '../../support/pool/pool-rows.ts';
import { readFacts, readRows, readText } from '../../support/pages/read-page.ts';
import { buying } from './scene.ts';

const { api, signedIn } = buying;
const pool = createPoolRows(api);

const PATH = '/library/fees';

/** Somebody who paid 9.99 for Member in the middle of each month. */
async function newMember(
  months: string[],
  { currency = 'USD', interval = 'month' }: { currency?: string; interval?: 'month' | 'year' } = {},
) {
  const made = await signedIn();
  const membershipId = newUuid();
  await api.test.query(
    `with price as (insert into member_price (id, currency, billing_interval, amount_minor, set_by,
         retired_at)
       values (gen_random_uuid(), $3, $4, 999, $2, now()) returning id)
     insert into membership (id, person_id, status, price_id, amount_minor, currency,
       billing_interval, processor_id)
     select $1, $2::uuid, 'active', id, 999, $3, $4, 'sub_' || $2::uuid from price`,
    [membershipId, made.person.id, currency, interval],
  );
  for (const month of months) {
    await api.test.query(
      `insert into payment (id, membership_id, gross_minor, currency, cut_minor, status,
         processor_id, created_at)
       values ($1, $2, 999, $4, 999, 'succeeded', $1, $3)`,
      [`ch_${newUuid()}`, membershipId, `${month}-15T12:00:00Z`, currency],
    );
  }
  return { ...made, personId: made.person.id };
}

const minor = (amount: string) => Number(amount.split(' ')[0]!.replace('.', ''));

/** Three Members, of whom one used three products, one a single one, and one none. */
async function payAndUse(month: string) {
  const editor = await api.seed.product({ name: 'Editor' });
  const planner = await api.seed.product({ name: 'Planner' });
  const helper = await api.seed.product({ name: 'Tax helper', state: 'unlisted' });
  const members = [await newMember([month]), await newMember([month]), await newMember([month])];
  const fees = [
    { netMinor: 999, days: { [editor.id]: 20, [planner.id]: 6, [helper.id]: 1 } },
    { netMinor: 940, days: { [editor.id]: 28 } },
    { netMinor: 833, days: {} },
  ];
  const periodId = await pool.month({
    month,
    status: 'in_review',
    members: members.map(({ personId }, index) => ({ personId, ...fees[index]! })),
  });
  const pages = await Promise.all(
    members.map(async ({ browser }) => (await browser.get(PATH)).text()),
  );
  return { editor, helper, members, periodId, pages };
}

test('the pages of Members add up to the lines of the statement', async (t) => {
  const month = monthsAgo(1);
  const { editor, helper, members, periodId, pages } = await payAndUse(month);
  t.deepEqual(readRows(pages[0]!), [
    ['Editor', '20', '5.18 USD'],
    ['Planner', '6', '1.55 USD'],
    ['Tax helper', '1', '0.26 USD'],
  ]);
  t.like(readFacts(pages[0]!), {
    'Net fee': '9.99 USD',
    'To products': '6.99 USD',
    "Platform's part": '3.00 USD',
  });
  t.regex(readFacts(pages[0]!)['Unattributed']!, /^0\.00 USD/);
  t.true(pages[0]!.includes(`href="/p/${editor.slug}"`));
  t.false(pages[0]!.includes(`href="/p/${helper.slug}"`), 'it is not listed');
  t.deepEqual(readRows(pages[1]!), [['Editor', '28', '6.58 USD']]);
  t.deepEqual(readRows(pages[2]!), []);
  t.regex(pages[2]!, /You used no included product/);
  t.is(readFacts(pages[2]!)['To products'], '0.00 USD');
  t.regex(readFacts(pages[2]!)['Unattributed']!, /^5\.83 USD/);

  const sums = new Map<string, number>();
  for (const [name, , amount] of pages.flatMap((page) => readRows(page))) {
    sums.set(name!, (sums.get(name!) ?? 0) + minor(amount!));
  }
  const lines = await api.test.query<{ name: string; amount: string }>(
    `select name, amount_minor as amount from pool_line join product on product.id = product_id
     where period_id = $1 order by name`,
    [periodId],
  );
  t.deepEqual(sums, new Map(lines.map(({ name, amount }) => [name, Number(amount)])));
  const [period] = await api.test.query<Record<string, string>>(
    `select fees_minor, platform_minor, unattributed_minor from pool_period where id = $1`,
    [periodId],
  );
  const total = (name: string) =>
    pages.reduce((sum, page) => sum + minor(readFacts(page)[name]!), 0);
  t.is(total('Net fee'), Number(period!['fees_minor']));
  t.is(total("Platform's part"), Number(period!['platform_minor']));
  t.is(total('Unattributed'), Number(period!['unattributed_minor']));
  for (const [index, page] of pages.entries()) {
    for (const other of members.filter((_, place) => place !== index)) {
      t.false(page.includes(other.person.handle), 'nobody else is named');
      t.false(page.includes(other.personId));
    }
  }
});

test('what changed later stands beside, with the month of its statement', async (t) => {
  const [month, later] = [monthsAgo(4), monthsAgo(3)];
  const product = await api.seed.product({ name: 'Editor' });
  const other = await api.seed.product({ name: 'Planner' });
  const { personId, browser } = await newMember([month], { currency: 'GBP' });
  const before = { netMinor: 999, days: { [product.id]: 2, [other.id]: 1 } };
  await pool.month({ month, currency: 'GBP', members: [{ personId, ...before }] });
  const excluded = { netMinor: 999, days: { [product.id]: 2 } };
  await pool.month({
    month: later,
    currency: 'GBP',
    members: [],
    corrections: [{ of: month, personId, before, after: excluded }],
  });
  const page = await (await browser.get(`${PATH}/${month}`)).text();
  t.deepEqual(readRows(page), [
    ['Editor', '2', '4.66 GBP'],
    ['Planner', '1', '2.33 GBP'],
    ['Editor', '0', '2.33 GBP'],
    ['Planner', '-1', '−2.33 GBP'],
  ]);
  t.true(page.includes(`Changed in the statement of ${writeMonth(later)}`));
  t.regex(page, /Days that count were changed/);
});

test('a month that is not frozen is on its way, with its day', async (t) => {
  const { browser } = await newMember([monthsAgo(0)], { currency: 'CHF' });
  const page = await (await browser.get(PATH)).text();
  const due = new Date(`${monthsAgo(-1)}-04T00:00:00Z`)
    .toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
    })
    .replace('Sept', 'Sep');
  t.regex(readText(page), new RegExp(`${writeMonth(monthsAgo(0))}\\s+on its way, ${due}`));
  t.regex(
    readText(await (await browser.get(`${PATH}/${monthsAgo(0)}`)).text()),
    new RegExp(`On its way: ${due}`),
  );
  t.deepEqual(readRows(page), []);
});

test('a yearly fee has a part in each of its months', async (t) => {
  const { browser } = await newMember([monthsAgo(2)], { currency: 'SEK', interval: 'year' });
  const page = readText(await (await browser.get(PATH)).text());
  for (const count of [0, 1, 2]) t.true(page.includes(writeMonth(monthsAgo(count))));
  t.false(page.includes(writeMonth(monthsAgo(-2))), 'months to come are not named');
});

test('without its key a month says that it is erased', async (t) => {
  const month = monthsAgo(24);
  const { browser, personId } = await newMember([month], { currency: 'NOK' });
  const id = await pool.month({
    month,
    currency: 'NOK',
    members: [{ personId, netMinor: 999, days: {} }],
  });
  t.regex(await (await browser.get(`${PATH}/${month}`)).text(), /data-fee=/);
  await api.test.query('update pool_period set encrypted_key = null where id = $1', [id]);
  const page = await (await browser.get(`${PATH}/${month}`)).text();
  t.regex(page, /The key that finds your part of this month was erased after 24 months/);
  t.false(page.includes('data-fee='));
  const older = await (await browser.get(`${PATH}/${monthsAgo(30)}`)).text();
  t.regex(readText(older), /Nothing is known of a fee of yours .* Keys are erased after 24 months/);
});

test('a fee that went back before the month was frozen left nothing', async (t) => {
  const month = monthsAgo(5);
  const { browser } = await newMember([month], { currency: 'DKK' });
  await pool.month({ month, currency: 'DKK', members: [] });
  t.regex(
    await (await browser.get(`${PATH}/${month}`)).text(),
    /Nothing of your fee was left for this month/,
  );
});

test('a fee that came back after all stands as a correction of a month that was empty', async (t) => {
  const [month, later] = [monthsAgo(7), monthsAgo(6)];
  const { browser, personId } = await newMember([month], { currency: 'ISK' });
  const id = await pool.month({ month, currency: 'ISK', members: [] });
  await api.test.query(`update pool_period set status = 'empty' where id = $1`, [id]);
  const nothing = { netMinor: 0, days: {} };
  const corrections = [
    { of: month, personId, before: nothing, after: { netMinor: 999, days: {} } },
  ];
  await pool.month({ month: later, currency: 'ISK', members: [], corrections });
  const page = await (await browser.get(`${PATH}/${month}`)).text();
  t.true(page.includes(`Changed in the statement of ${writeMonth(later)}`));
  t.like(readFacts(page), { 'Net fee': '999 ISK', "Platform's part": '300 ISK' });
});

test('a person who was never a Member is shown nothing, and no link in the library', async (t) => {
  const { browser } = await signedIn();
  const page = await (await browser.get(PATH)).text();
  t.regex(page, /You have not paid for Member/);
  t.false((await (await browser.get('/library')).text()).includes(PATH));
  const member = await newMember([monthsAgo(0)], { currency: 'PLN' });
  t.true((await (await member.browser.get('/library')).text()).includes(`href="${PATH}"`));
});

test('a month that is none is not found, a visitor signs in first', async (t) => {
  const { browser } = await signedIn();
  for (const month of ['2999-01', '2026-13', 'last']) {
    t.is((await browser.get(`${PATH}/${month}`)).status, 404, month);
  }
  const visitor = await api.request(PATH);
  t.is(visitor.status, 303);
  t.regex(visitor.headers.get('location') ?? '', /^\/sign-in/);
});
