import test from 'ava';
import {
  listStatements,
  selectEntries,
  selectSums,
} from '../../../../domain/billing/ledger/seller-statement.query.ts';
import { api, owner, browser, sales } from './scene.ts';

const MONTH = new Date().toISOString().slice(0, 7);

/** Each response has its own. */
const withoutToken = (page: string) => page.replace(/name="csrf" value="[^"]+"/g, '');
const HEAD =
  'time_utc,product,kind,amount,amount_minor,currency,purchase_id,payment_id,refund_id,dispute_id,reason,entry_id';

async function newProduct(name = 'Paper Trail') {
  const product = await api.seed.product({ owner, name, prices: { USD: 1_900 } });
  const path = `/console/products/${product.slug}/statements`;
  const sell = async () => sales.paidSale(await sales.orderOf(product, api.seed));
  return { product, path, sell };
}

const read = async (path: string) => (await browser.get(path)).text();
const readBytes = async (path: string) =>
  Buffer.from(await (await browser.get(path)).arrayBuffer());

/** The lines of a page's statement: the amount of each. */
function linesOf(page: string): Record<string, string> {
  const [statement] = page.match(/<div data-statement[^]*?<\/section>/) ?? [''];
  const rows = statement.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^]*?)<\/dd>/g);
  return Object.fromEntries(
    [...rows].map(([, name, amount]) => [name!, amount!.replaceAll(/<[^>]+>/g, '')]),
  );
}

/** As many entries as told, a second apart, without the payments that they would be of. */
const addEntries = async (
  productId: string,
  { count, kind = 'gross' }: { count: number; kind?: string },
) =>
  api.test.query(
    `with entry (account, sign) as (values ('seller', 1), ('buyer', -1))
     insert into ledger_entry
       (booking, account, kind, amount_minor, currency, payment_id, product_id, created_at)
     select 'bulk:' || $1::uuid || ':' || n, account, $2, sign * 100, 'USD',
       (select y.id from payment y join purchase u on u.id = y.purchase_id
        where u.product_id = $1::uuid limit 1),
       $1::uuid, date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' - n * interval '1 second'
     from generate_series(1, $3) n cross join entry`,
    [productId, kind, count],
  );

const lastMonth = () => {
  const at = new Date();
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1)).toISOString().slice(0, 7);
};

test('a statement shows gross, cut, net, refunds, reversals, disputes and their fees per currency', async (t) => {
  const { path, sell } = await newProduct();
  const [kept, back, lost] = [await sell(), await sell(), await sell()];
  const fact = { processorId: `re_${back.purchaseId}`, amountMinor: 1_000 };
  await sales.tell(back, [fact]);
  await sales.tell(kept, [{ processorId: `re_${kept.purchaseId}`, amountMinor: 500 }]);
  await sales.tell(kept, [
    { processorId: `re_${kept.purchaseId}`, amountMinor: 500, status: 'failed' },
  ]);
  await sales.dispute(lost, { status: 'lost', fees: [{ feeMinor: 1_500, currency: 'USD' }] });
  const page = await read(path);
  t.regex(page, /3 payments/);
  t.deepEqual(linesOf(page), {
    Paid: '57.00 USD',
    'Platform fee': '−5.70 USD',
    Refunds: '−15.00 USD',
    'Failed refunds': '5.00 USD',
    'Platform fee refunded': '2.90 USD',
    Disputes: '−19.00 USD',
    'Dispute fees': '−15.00 USD',
    'You receive': '10.20 USD',
  });
  t.notRegex(page, /<svg[^>]*role="img"/, 'one month is no course');
  t.is(withoutToken(await read(`${path}/${MONTH}`)), withoutToken(page));
});

test('months are drawn beside each other once there are two of them', async (t) => {
  const { product, path, sell } = await newProduct();
  await sell();
  await addEntries(product.id, { count: 1 });
  t.regex(await read(path), /12 months in USD[^]*<svg[^>]*role="img"/);
});

test('the statement is the seller account of the ledger, for its product alone', async (t) => {
  const { product, sell } = await newProduct();
  const other = await newProduct();
  await other.sell();
  const sale = await sell();
  await sales.tell(sale, [{ amountMinor: 700 }]);
  const span = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
  const found = await listStatements(api.database.em(), { productId: product.id, ...span });
  const { seller } = await sales.balances(sale);
  t.is(
    found.reduce((sum, { netMinor }) => sum + netMinor, 0),
    seller!,
  );
});

test('a month with nothing says so, one that has not started or is none is 400 and says why', async (t) => {
  const { path, sell } = await newProduct();
  await sell();
  const nothing = await browser.get(`${path}/2020-01`);
  t.is(nothing.status, 200);
  t.regex(await nothing.text(), /No entries in January 2020/);
  for (const [month, words] of [
    ['2999-01', /has not started/],
    ['2026-13', /Enter a month such as/],
    ['last', /Enter a month such as/],
    ['%00', /Enter a month such as/],
  ] as const) {
    for (const file of ['', '/entries.csv']) {
      const response = await browser.get(`${path}/${month}${file}`);
      t.is(response.status, 400, month + file);
      t.regex(await response.text(), words);
    }
  }
});

test('the CSV has each entry of the month in UTC, with its amount in units and in minor units', async (t) => {
  const { product, path, sell } = await newProduct('=SUM(A1), "x"');
  const sale = await sell();
  await sales.tell(sale, [{ amountMinor: 700 }]);
  const response = await browser.get(`${path}/${MONTH}/entries.csv`);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  t.is(
    response.headers.get('content-disposition'),
    `attachment; filename="${product.slug}-${MONTH}.csv"`,
  );
  const [head, ...lines] = (await response.text()).split('\r\n');
  t.is(head, HEAD);
  t.is(lines.pop(), '');
  t.deepEqual(
    lines.map((line) => line.split('"\'=SUM(A1), ""x""",')[1]!.split(',').slice(0, 4).join()),
    [
      'gross,19.00,1900,USD',
      'cut,-1.90,-190,USD',
      'refund,-7.00,-700,USD',
      'cut_returned,0.70,70,USD',
    ],
  );
  for (const line of lines) {
    t.regex(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,/);
    t.true(line.includes(`,${sale.purchaseId},ch_`));
  }
  const empty = await browser.get(`${path}/2020-01/entries.csv`);
  t.is(await empty.text(), `${HEAD}\r\n`);
});

test('every export is there for spreadsheets too, with a byte order mark, and beside the plain one', async (t) => {
  const { product, sell } = await newProduct('=São Paulo');
  await sell();
  const of = `/console/products/${product.slug}`;
  const exports: [page: string | null, file: string][] = [
    [`${of}/statements`, `${of}/statements/${MONTH}/entries.csv`],
    [`${of}/usage`, `${of}/usage/days.csv?month=${MONTH}`],
    [null, `${of}/subscribers/subscribers.csv`], // linked where there are some
    [`${of}/recurring`, `${of}/recurring/months.csv`],
  ];
  for (const [page, file] of exports) {
    const marked = `${file}${file.includes('?') ? '&' : '?'}for=spreadsheet`;
    if (page) t.true((await read(page)).includes(`href="${marked.replace('&', '&amp;')}"`), page);
    const [plain, forSpreadsheets] = await Promise.all([readBytes(file), readBytes(marked)]);
    t.not(plain[0], 0xef, file);
    t.deepEqual(forSpreadsheets, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]), file);
  }
  const files = [`${of}/pool/lines.csv`, `${of}/pool/${MONTH}/lines.csv`];
  for (const file of files) t.is((await readBytes(`${file}?for=spreadsheet`))[0], 0xef, file);
  const entries = await readBytes(`${exports[0]![1]}?for=spreadsheet`);
  t.true(entries.toString().includes(",'=São Paulo,"), 'no formula there either');
  t.is((await readBytes(`${exports[0]![1]}?for=x`))[0], 't'.charCodeAt(0));
});

test('a long month comes whole, each entry once, in the order of time', async (t) => {
  const { product, path, sell } = await newProduct();
  await sell();
  await addEntries(product.id, { count: 2_500 });
  const text = await read(`${path}/${lastMonth()}/entries.csv`);
  const lines = text.trimEnd().split('\r\n').slice(1);
  t.is(lines.length, 2_500);
  t.is(new Set(lines.map((line) => line.split(',').at(-1))).size, 2_500);
  t.deepEqual(lines, lines.toSorted());
  t.regex(await read(`${path}/${lastMonth()}`), /2,500 payments/);
});

test('an unverified builder is told who may see statements, and has no link to them', async (t) => {
  const builder = await api.seed.person();
  const product = await api.seed.product({ owner: builder });
  const lone = api.browser();
  await lone.signIn(builder);
  const refused = await lone.get(`/console/products/${product.slug}/statements`);
  t.is(refused.status, 403);
  t.regex(await refused.text(), /see statements/);
  const overview = await (await lone.get(`/console/products/${product.slug}`)).text();
  t.false(overview.includes('/statements"'));
  t.true(
    (await read(`/console/products/${(await newProduct()).product.slug}`)).includes('/statements"'),
  );
});

test('a statement reads its own stretch of an index, however long the ledger is', async (t) => {
  const { product, sell } = await newProduct();
  const others = await newProduct();
  await sell();
  await others.sell();
  await addEntries(others.product.id, { count: 20_000 });
  await addEntries(product.id, { count: 8_000 });
  await api.test.query('vacuum analyze ledger_entry');
  const to = new Date();
  const span = { productId: product.id, from: new Date(to.getTime() - 86_400_000 * 31), to };
  const place = { at: new Date(to.getTime() - 86_400_000), id: '1' };
  const recent = { ...span, from: new Date(Date.parse(`${MONTH}-01T00:00:00Z`) - 1_000_000) };
  for (const { sql, values } of [
    selectSums(recent),
    selectEntries({ ...span, place: null, limit: 1_000 }),
    selectEntries({ ...span, place, limit: 1_000 }),
  ]) {
    const text = values.reduce<string>(
      (made, value) =>
        made.replace('?', `'${value instanceof Date ? value.toISOString() : value}'`),
      sql,
    );
    const plan = await api.test.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
    const lines = plan.map((line) => line['QUERY PLAN']);
    t.true(
      lines.some((line) => line.includes('ledger_entry_statement')),
      lines.join('\n'),
    );
    t.false(
      lines.some((line) => line.includes('Seq Scan on ledger_entry')),
      lines.join('\n'),
    );
  }
});
