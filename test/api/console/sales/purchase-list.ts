import test from 'ava';
import {
  selectCounts,
  selectSales,
} from '../../../../domain/billing/purchases/seller-purchases.repository.ts';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import type { Sale } from '../../../support/purchases/sales.ts';
import { api, owner, browser, sales } from './scene.ts';

const { paidSale, newSale, orderOf } = sales;

async function newProduct() {
  const product = await api.seed.product({ owner, prices: { USD: 1_900 } });
  return { product, path: `/console/products/${product.slug}/purchases` };
}

/** A product with a paid purchase. */
async function newStory() {
  const { product, path } = await newProduct();
  const sale = await paidSale(await orderOf(product, api.seed));
  const [person] = await api.test.query<{ handle: string }>(
    'select handle from person where id = $1',
    [sale.personId],
  );
  return { product, path, sale, person: person! };
}

const read = async (path: string) => (await browser.get(path)).text();

test('a long list goes page by page, each purchase once', async (t) => {
  const { product, path } = await newProduct();
  const order = await orderOf(product, api.seed);
  await api.test.query(
    `with made as (
       insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor, currency, status, expires_at)
       select gen_random_uuid(), $1, $2, $3, $4, 1900, 'USD', 'expired', now() from generate_series(1, 120)
       returning id)
     insert into purchase (id, checkout_id, person_id, product_id, status, service_source)
     select 'pay_' || lpad((1000000000 + row_number() over ())::text, 26, '0'), id, $1, $2, 'canceled', 'buy_link' from made`,
    [order.personId, order.productId, order.price.offerId, order.price.priceId],
  );
  const seen: string[] = [];
  for (let next: string | undefined = `${path}?state=unfinished`; next;) {
    const page = await read(next);
    seen.push(...[...page.matchAll(/purchases\/(pay_\d{26})"/g)].map(([, id]) => id!));
    next = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
  }
  t.is(seen.length, 120);
  t.is(new Set(seen).size, 120);
});

test('the tabs of states count what they list, and a search finds a buyer or a purchase', async (t) => {
  const { product, path, sale, person } = await newStory();
  const order = await orderOf(product, api.seed);
  const unfinished = await newSale(order);
  const other = await paidSale(await orderOf(product, api.seed));
  const [payment] = await api.test.query<{ id: string }>(
    'select id from payment where purchase_id = $1',
    [other.purchaseId],
  );
  await api.test.query(
    `insert into dispute (id, payment_id, processor_id, amount_minor, currency, reason, status, sequence)
     values ($1, $2, $1, 1900, 'USD', 'fraudulent', 'open', 1)`,
    [newPublicId('dp_'), payment!.id],
  );
  const idsOf = async (query: string) =>
    [...(await read(`${path}?${query}`)).matchAll(/purchases\/(pay_\w+)"/g)].map(([, id]) => id);
  const counts = [...(await read(path)).matchAll(/>([A-Z][a-z ]+) <small>(\d+)<\/small>/g)];
  t.deepEqual(Object.fromEntries(counts.map(([, state, count]) => [state, Number(count)])), {
    All: 2,
    Paid: 1,
    Clearing: 0,
    Refunded: 0,
    Disputed: 1,
  });
  t.regex(await read(`${path}?state=unfinished`), />Not finished <small>1</);
  t.deepEqual(await idsOf('state=paid'), [sale.purchaseId]);
  t.deepEqual(await idsOf('state=disputed'), [other.purchaseId]);
  t.deepEqual(await idsOf('state=unfinished'), [unfinished.purchaseId]);
  t.deepEqual(await idsOf('state=refunded'), []);
  t.deepEqual(await idsOf(`find=@${person.handle.toUpperCase()}`), [sale.purchaseId]);
  t.deepEqual(await idsOf(`find=${unfinished.purchaseId}`), [unfinished.purchaseId]);
  t.deepEqual(await idsOf('find=%00'), await idsOf('state=nonsense'));
  t.regex(await read(`${path}/${other.purchaseId}`), /bank disputed/);
});

test('a refunded purchase that its bank looks at is counted once, as disputed', async (t) => {
  const { path, sale } = await newStory();
  const [payment] = await api.test.query<{ id: string }>(
    'select id from payment where purchase_id = $1',
    [sale.purchaseId],
  );
  await api.test.query(`update purchase set status = 'refunded' where id = $1`, [sale.purchaseId]);
  await api.test.query(
    `insert into dispute (id, payment_id, processor_id, amount_minor, currency, reason, status, sequence)
     values ($1, $2, $1, 1900, 'USD', 'fraudulent', 'warning', 1)`,
    [newPublicId('dp_'), payment!.id],
  );
  const page = await read(path);
  t.regex(page, />All <small>1<[^]*>Refunded <small>0<[^]*>Disputed <small>1</);
  t.true((await read(`${path}?state=disputed`)).includes(`${sale.purchaseId}"`));
});

test('a search lists no unfinished checkout of a buyer unasked, and counts nothing', async (t) => {
  const { product, path } = await newProduct();
  const unfinished = await newSale(await orderOf(product, api.seed));
  const [person] = await api.test.query<{ handle: string }>(
    'select handle from person where id = $1',
    [unfinished.personId],
  );
  const idsOf = (page: string) => [...page.matchAll(/purchases\/(pay_\w+)"/g)].map(([, id]) => id);
  const found = await read(`${path}?find=${person!.handle}`);
  t.deepEqual(idsOf(found), []);
  t.regex(found, />All<\/a/);
  t.deepEqual(idsOf(await read(`${path}?find=${person!.handle}&state=unfinished`)), [
    unfinished.purchaseId,
  ]);
});

test('a buyer whose handle begins as an id does is found', async (t) => {
  const { path, sale } = await newStory();
  await api.test.query(`update person set handle = 'pay_pal' where id = $1`, [sale.personId]);
  t.true((await read(`${path}?find=pay_pal`)).includes(`${sale.purchaseId}"`));
});

test.serial('lists and counts of purchases read their own stretch of an index', async (t) => {
  const { product, sale, person } = await newStory();
  const other = await newStory();
  const addMany = (productId: string, { personId }: Sale, count: number) =>
    api.test.query(
      `with made as (
         insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor, currency, status, expires_at)
         select gen_random_uuid(), $2, $1, o.id, r.id, 1900, 'USD', 'paid', now()
         from generate_series(1, $3), offer o join price r on r.offer_id = o.id where o.product_id = $1
         returning id)
       insert into purchase (id, checkout_id, person_id, product_id, status, service_source, created_at)
       select 'pay_' || lpad(replace(id::text, '-', ''), 26, '0'), id, $2, $1, 'cleared', 'store',
         now() - random() * interval '1 year' from made`,
      [productId, personId, count],
    );
  await addMany(other.product.id, other.sale, 12_000);
  await addMany(product.id, sale, 3_000);
  await api.test.query('vacuum analyze purchase, checkout, payment, dispute, person');
  const em = api.database.em();
  const span = { from: new Date(Date.now() - 30 * 86_400_000), to: new Date() };
  const among = { productId: product.id, span: null };
  const search = { ...among, state: null, find: '', before: null, limit: 51 };
  const queries = [
    selectCounts(em, { productId: product.id, span: null }),
    selectCounts(em, { productId: product.id, span }),
    selectSales(em, search),
    selectSales(em, { ...search, state: 'paid', before: sale.purchaseId }),
    selectSales(em, { ...search, state: 'refunded' }),
    selectSales(em, { ...search, span }),
    selectSales(em, { ...search, state: 'disputed' }),
    selectSales(em, { ...search, find: person.handle }),
    selectSales(em, { ...search, find: sale.purchaseId }),
  ];
  for (const query of queries) {
    const { sql, parameters } = query.compile();
    const text = sql.replaceAll(/\$(\d+)/g, (_, place: string) => {
      const value = parameters[Number(place) - 1];
      if (value instanceof Date) return `'${value.toISOString()}'`;
      return typeof value === 'number' ? String(value) : `'${String(value)}'`;
    });
    const plan = await api.test.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
    t.regex(lines, /purchase_(product|person|pkey)/);
    t.notRegex(lines, /Seq Scan on purchase/, lines);
  }
});

test('a month has its own purchases, counts and file', async (t) => {
  const { product, path, sale } = await newStory();
  const old = await paidSale(await orderOf(product, api.seed));
  await api.test.query('update purchase set created_at = $2 where id = $1', [
    old.purchaseId,
    '2025-02-28T23:59:59.999Z',
  ]);
  const idsOf = (page: string) => [...page.matchAll(/purchases\/(pay_\w+)"/g)].map(([, id]) => id);
  const february = await read(`${path}?month=2025-02`);
  t.deepEqual(idsOf(february), [old.purchaseId]);
  t.regex(february, />All <small>1<[^]*>Paid <small>1</);
  t.true(february.includes('purchases.csv?month=2025-02'));
  t.deepEqual(idsOf(await read(`${path}?month=2025-03`)), []);
  t.regex(await read(`${path}?month=2025-03`), /Nothing matches/);
  for (const month of ['', '2999-01', 'nonsense', '%00']) {
    t.deepEqual(
      idsOf(await read(`${path}?month=${month}`)),
      [sale.purchaseId, old.purchaseId],
      month,
    );
  }
  const file = await read(`${path}.csv?month=2025-02`);
  t.true(file.includes(old.purchaseId));
  t.false(file.includes(sale.purchaseId));
});

test('a row of a subscription has the amounts of its last charge alone', async (t) => {
  const { product, path, sale, person } = await newStory();
  t.false((await read(path)).includes('last charge'));
  await api.test.query(`update offer set kind = 'monthly' where product_id = $1`, [product.id]);
  await api.test.query(
    `update payment set status = 'refunded', returned_minor = 1900 where purchase_id = $1`,
    [sale.purchaseId],
  );
  await api.test.query('update purchase set refunded_minor = 1900 where id = $1', [
    sale.purchaseId,
  ]);
  await api.test.query(
    `insert into payment (id, purchase_id, gross_minor, currency, cut_minor, status, processor_id, created_at)
     select $1, purchase_id, gross_minor, currency, cut_minor, 'succeeded', $1, created_at + interval '1 hour'
     from payment where purchase_id = $2`,
    [newPublicId('ch_'), sale.purchaseId],
  );
  const [, line] = (await read(`${path}.csv`)).split('\r\n');
  t.true(
    line!.startsWith(
      `${sale.purchaseId},${person.handle},monthly,cleared,no,19.00,1900,0,1710,USD`,
    ),
    line,
  );
  t.regex(await read(path), /amounts of a subscription are those of its last charge/);
});

test('purchases are exported by those who may refund, as they are filtered', async (t) => {
  const { product, path, sale, person } = await newStory();
  const file = await browser.get(`${path}.csv?state=paid`);
  t.is(
    file.headers.get('content-disposition'),
    `attachment; filename="${product.slug}-purchases.csv"`,
  );
  const [head, line, ...others] = (await file.text()).split('\r\n');
  t.regex(head!, /^purchase_id,handle,offer,status,/);
  t.true(
    line!.startsWith(
      `${sale.purchaseId},${person.handle},one_time,cleared,no,19.00,1900,0,1710,USD`,
    ),
  );
  t.deepEqual(others, ['']);
  t.false((await (await browser.get(`${path}.csv?state=refunded`)).text()).includes('pay_'));
  const operator = api.browser();
  await operator.signIn(await api.seed.person({ isOperator: true }));
  t.is((await operator.get(`${path}.csv`)).status, 403);
});
