import test from 'ava';
import { readFacts, readRows } from '../../../support/pages/read-page.ts';
import { finance, membersOf, newPooled, pool, poolOf, read, team, teams } from './pool-scene.ts';

const { api } = teams;
const { browser } = finance;

test('months and currencies are listed, a month in review with its days alone', async (t) => {
  const product = await newPooled();
  const use = { [product.id]: 3 };
  await pool.month({ month: '2026-07', members: membersOf(2, use) });
  await pool.month({ month: '2026-07', currency: 'JPY', members: membersOf(1, use) });
  await pool.month({ month: '2026-08', status: 'in_review', members: membersOf(3, use) });
  const page = await read(poolOf(product));
  t.deepEqual(readRows(page, 'Creator pool by month and currency'), [
    ['Aug 2026', 'In review', '9', '–', '–', '– USD'],
    ['Jul 2026', 'Payable', '6', '2', '–', '13.98 USD'],
    ['Jul 2026', 'Payable', '3', '1', '–', '699 JPY'],
  ]);
  t.regex(page, /data-chart="pool-usd"/);
  t.regex(page, /data-chart="pool-jpy"/);
  t.deepEqual(readRows(page, '12 months in USD'), [['Jul 2026', '13.98 USD', '0.00 USD']]);

  const inReview = await read(`${poolOf(product)}/2026-08`);
  t.regex(inReview, /<strong>In review\.<\/strong> Amounts are shown once operators have approved/);
  t.deepEqual(readRows(inReview, 'Lines of 2026-08 in USD'), [
    ['Aug 2026', 'In review.', '–', '9', '–'],
  ]);
  t.false(inReview.includes('20.97'), 'no amount before the approval');
  t.false(/How this number came about|SHA-256/.test(inReview));
});

test('a month says its share, rule and hashes, and how the amount came about in bands', async (t) => {
  const [product, other] = [await newPooled(), await newPooled()];
  const members = [
    ...membersOf(12, { [product.id]: 1 }),
    ...membersOf(10, { [product.id]: 20, [other.id]: 5 }),
    ...membersOf(3, { [other.id]: 2 }),
    ...membersOf(1, {}),
  ];
  await pool.month({ month: '2026-05', members });
  const page = await read(`${poolOf(product)}/2026-05`);
  const facts = readFacts(page);
  t.like(facts, {
    Amount: '139.78 USD', // 12 x 699 + 10 x floor or ceil of 699 x 20 / 25
    'Qualified days of Members': '212',
    Members: '22',
    Weight: '212 of their 262 days',
    Share: '70 % of net fees goes to the pool (7,000 basis points)',
    'Fee kept by the platform': '30 %',
    Rule: 'user-centric-1',
    'Net fees of Members': '259.74 USD',
    "Platform's part": '78.00 USD',
    'To products': '174.75 USD',
  });
  t.regex(facts['Unattributed']!, /^6\.99 USD/);
  const [{ snapshot, statement } = { snapshot: '', statement: '' }] = await api.test.query<{
    snapshot: string;
    statement: string;
  }>(
    `select snapshot_sha256 as snapshot, statement_sha256 as statement from pool_period
     where id = '2026-05:USD'`,
  );
  t.is(facts['SHA-256 of the snapshot'], snapshot);
  t.is(facts['SHA-256 of the statement'], statement);
  t.regex(page, /pool-and-seal#check-it-yourself/);
  t.deepEqual(readRows(page, 'How the amount of 2026-05 in USD came about'), [
    ['1', '12', '83.88 USD', '12', '12', '83.88 USD'],
    ['2 to 31', '10', '69.90 USD', '200', '250', '55.90 USD'],
    ['All', '22', '153.78 USD', '212', '262', '139.78 USD'],
  ]);
  t.false(page.split('<main')[1]!.includes(other.slug), 'nothing of another product');
});

const BAND = {
  daysFrom: 1,
  daysTo: 31,
  potsMinor: '6291',
  daysHere: 180,
  daysInAll: 225,
  amountMinor: '5031',
};

test('below ten Members the total is all there is', async (t) => {
  const [product, other] = [await newPooled(), await newPooled()];
  const members = membersOf(9, { [product.id]: 20, [other.id]: 5 });
  await pool.month({ month: '2026-04', members });
  const page = await read(`${poolOf(product)}/2026-04`);
  t.regex(page, /Fewer than 10 Members used the product/);
  t.deepEqual(readRows(page, /came about/), []);
  const { Amount, Members, ...facts } = readFacts(page);
  t.deepEqual([Amount, Members], ['50.31 USD', '9']);
  t.false('Weight' in facts, 'the days elsewhere are not told');
  t.false('Net fees of Members' in facts, 'nor are the fees of nine Members');
  const file = await read(`${poolOf(product)}/2026-04/lines.csv`);
  t.is(file.trimEnd().split('\r\n').length, 2, 'no band in the file');

  await api.test.query('update pool_line set bands = $2 where product_id = $1', [
    product.id,
    JSON.stringify([{ ...BAND, members: 9 }]),
  ]);
  t.deepEqual(readRows(await read(`${poolOf(product)}/2026-04`), /came about/), []);
  t.is(await read(`${poolOf(product)}/2026-04/lines.csv`), file, 'whatever the row holds');
});

test('corrections of earlier months are lines of their own', async (t) => {
  const product = await newPooled();
  const [refunded, kept] = membersOf(2, { [product.id]: 4 });
  await pool.month({ month: '2026-02', members: [refunded!, kept!] });
  const returned = { before: refunded!, after: { ...refunded!, netMinor: 0 } };
  await pool.month({
    month: '2026-03',
    members: [kept!],
    corrections: [{ of: '2026-02', personId: refunded!.personId, ...returned }],
  });
  const page = await read(`${poolOf(product)}/2026-03`);
  const lines = readRows(page, 'Lines of 2026-03 in USD').map(([month, , ...amounts]) => [
    month,
    ...amounts,
  ]);
  t.deepEqual(lines, [
    ['Mar 2026', '1', '4', '6.99 USD'],
    ['Correction of Feb 2026', '1', '0', '−6.99 USD'],
  ]);
  const list = readRows(await read(poolOf(product)), 'Creator pool by month and currency');
  t.deepEqual(list, [
    ['Mar 2026', 'Payable', '4', '1', '−6.99 USD', '6.99 USD'],
    ['Feb 2026', 'Payable', '8', '2', '–', '13.98 USD'],
  ]);
});

test('the payout is said in plain words', async (t) => {
  const product = await newPooled();
  const periodId = await pool.month({
    month: '2025-12',
    members: membersOf(1, { [product.id]: 1 }),
  });
  const payout = async () => {
    const page = await read(`${poolOf(product)}/2025-12`);
    return readRows(page, 'Lines of 2025-12 in USD')[0]![1]!;
  };
  const become = (status: string) =>
    api.test.query('update pool_line set status = $2 where product_id = $1', [product.id, status]);
  t.regex(await payout(), /^Payable/);
  await become('below_minimum');
  t.regex(await payout(), /^Below the minimum .* Carried over/);
  await become('no_account');
  t.regex(await payout(), /no payout account could receive it\. Connect one under Payouts/);
  await become('failed');
  t.regex(await payout(), /^The transfer failed\. Carried over/);
  await become('held');
  t.regex(await payout(), /^Held until an operator confirms your first payout/);
  await api.test.query(
    `insert into pool_hold (id, product_id, reason, held_by) values ($1, $1, 'Days', $2)`,
    [product.id, team.members.owner.person.id],
  );
  t.regex(await payout(), /^Held while operators review the product/);
  await api.test.query(
    `update pool_hold set released_at = now(), released_by = held_by where id = $1`,
    [product.id],
  );
  await api.test.query(
    `insert into payout_account (id, team_id, processor_account, can_charge, pool_confirmed_at,
       pool_confirmed_by)
     values (gen_random_uuid(), $1, 'acct_pool', true, now(), $2)`,
    [team.id, team.members.owner.person.id],
  );
  t.regex(await payout(), /^No longer held/);
  await pool.payOut({ periodId, productId: product.id }, 'paying');
  t.regex(
    await payout(),
    /^The transfer has not succeeded yet\. The next attempt is at \d+ \w+ 20/,
  );
  const paid = await newPooled();
  const members = membersOf(1, { [paid.id]: 1 });
  const other = await pool.month({ month: '2025-11', members });
  await pool.payOut({ periodId: other, productId: paid.id });
  t.regex(
    readRows(await read(`${poolOf(paid)}/2025-11`), /^Lines/)[0]![1]!,
    /^Paid on \d+ \w+ 20\d\d, transfer tr_/,
  );
});

test('a product without lines says why, a month that is none is 400', async (t) => {
  const product = await newPooled();
  t.regex(await read(poolOf(product)), /Only products that are included with Member take part/);
  await api.test.query('update product set included_with_member = true where id = $1', [
    product.id,
  ]);
  t.regex(
    await read(poolOf(product)),
    /No month in which Members used this product has been computed yet/,
  );
  t.regex(
    await read(`${poolOf(product)}/2020-01`),
    /no statement of this product for January 2020/,
  );
  for (const month of ['2999-01', '2026-13', 'last']) {
    for (const file of ['', '/lines.csv']) {
      t.is((await browser.get(`${poolOf(product)}/${month}${file}`)).status, 400, month + file);
    }
  }
});
