import test from 'ava';
import { readText } from '../../support/pages/read-page.ts';
import { Purchase } from '../../../domain/billing/purchases/purchase.entity.ts';
import { startApi } from '../../support/http/api.ts';
import { newPublicId } from '../../../domain/shared/ids.ts';
import { Payment } from '../../../domain/billing/purchases/payment.entity.ts';
import { Receipt } from '../../../domain/billing/receipts/receipt.entity.ts';
import { startBuying } from '../../support/purchases/buying.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { startListener } from '../../support/database/statements.ts';

const { api, seller, sell, signedIn } = await startBuying();
const database = await createTestDatabase();
const listener = await startListener(database.url);
const counted = await startApi({ databaseUrl: listener.url });
const builder = await counted.seed.person({ isBuilder: true });
await counted.seed.payoutAccount(builder, { account: 'acct_x' });
const { slug } = await counted.seed.product({ owner: builder });
test.after.always(() => api.close());
test.after.always(async () => {
  await counted.close();
  listener.close();
  await database.drop();
});

async function buyOne() {
  const product = await api.seed.product({ owner: seller, name: 'Tiny <Synth>' });
  const person = await api.seed.person();
  const browser = api.browser();
  await browser.signIn(person);
  await browser.get(`/buy/${product.slug}`);
  const { id } = await api.database.em().findOneOrFail(Purchase, { personId: person.id });
  return { product, person, browser, id };
}

test('the buyer sees how the purchase stands, and the page looks again while it is open', async (t) => {
  const { browser, id } = await buyOne();
  const seen = async () => {
    const response = await browser.get(`/purchases/${id}?returned=yes`);
    const status = /data-status="(\w+)"/.exec(await response.text())?.[1];
    const [wait = null, address] = response.headers.get('refresh')?.split('; url=') ?? [];
    if (address) t.regex(address, new RegExp(`^/purchases/${id}\\?returned=yes&since=\\d+$`));
    return [response.status, status, wait];
  };
  t.deepEqual(await seen(), [200, 'pending', '2']);
  const em = api.database.em();
  await em.nativeUpdate(Purchase, { id }, { status: 'clearing' });
  t.deepEqual(await seen(), [200, 'clearing', '2']);
  await em.nativeUpdate(Purchase, { id }, { status: 'cleared', clearedAt: new Date() });
  t.deepEqual(await seen(), [200, 'cleared', null]);
});

test('the page looks again ever more slowly, and stops after a while', async (t) => {
  const { browser, id } = await buyOne();
  const seen = async (since: string) => {
    const response = await browser.get(`/purchases/${id}?returned=yes&since=${since}`);
    return { wait: response.headers.get('refresh'), page: await response.text() };
  };
  const ago = (seconds: number) => String(Math.floor(Date.now() / 1_000) - seconds);
  t.is((await seen(ago(20))).wait, '13');
  const slow = await seen(ago(600));
  t.is(slow.wait, '60');
  t.regex(slow.page, /updates automatically/);
  const over = await seen(ago(3_600));
  t.is(over.wait, null);
  t.regex(over.page, /no longer updates by itself/);
  for (const odd of ['x', '-1', '99999999999', '%00']) {
    t.regex((await seen(odd)).wait!, /^2; url=/, odd);
  }
});

test('names are escaped', async (t) => {
  const { browser, id } = await buyOne();
  const page = await (await browser.get(`/purchases/${id}`)).text();
  t.true(page.includes('Tiny &lt;Synth&gt;'));
  t.false(page.includes('<Synth>'));
});

test('a purchase without a receipt names its ID for support', async (t) => {
  const { browser, id } = await buyOne();
  const seen = async () => readText(await (await browser.get(`/purchases/${id}`)).text());
  t.true((await seen()).includes(`Payment ${id}`));
  const paid = await clear();
  const page = await (await paid.browser.get(`/purchases/${paid.id}`)).text();
  t.notRegex(page, /data-reference/, 'the receipt has it');
});

test('a purchase of somebody else, an unknown one and nonsense are 404 alike', async (t) => {
  const { id } = await buyOne();
  const stranger = api.browser();
  await stranger.signIn(await api.seed.person());
  for (const ref of [id, 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB', 'nonsense', '%00']) {
    t.is((await stranger.get(`/purchases/${ref}`)).status, 404, ref);
  }
});

/** A purchase as it is once its money has cleared. */
async function clear({ currency = 'BRL', grossMinor = 5_900 } = {}) {
  const [product, { browser, person }] = [await sell({ name: 'Tiny <Synth>' }), await signedIn()];
  await browser.get(`/buy/${product.slug}?currency=BRL`);
  const em = api.database.em();
  const { id } = await em.findOneOrFail(Purchase, { personId: person.id });
  await em.nativeUpdate(Purchase, { id }, { status: 'cleared', clearedAt: new Date() });
  const facts = { productName: 'Tiny <Synth>', sellerName: 'Ada & Co', currency, grossMinor };
  await em.insert(Receipt, { purchaseId: id, ...facts });
  const charge = { id: newPublicId('ch_'), purchaseId: id, currency, grossMinor, cutMinor: 0 };
  await em.insert(Payment, { ...charge, status: 'succeeded', processorId: `pi_${id}` });
  return { id, em, browser, person };
}

const read = async (response: Promise<Response>) => (await response).text();

test('a receipt says what was paid, to whom, by whom, with its reference, and that taxes are included', async (t) => {
  const { id, browser, person } = await clear();
  const page = await read(browser.get(`/purchases/${id}/receipt`));
  for (const words of ['59.00 BRL', 'Tiny &lt;Synth&gt;', 'Ada &amp; Co', id, person.email]) {
    t.true(readText(page).includes(words), words);
  }
  t.regex(page, /Nothing was added to the price/);
  t.notRegex(page, /taxes/);
  t.notRegex(page, /returned|taken back/);
});

test('amounts have the digits of their currency', async (t) => {
  for (const [currency, shown] of [
    ['JPY', '1,250 JPY'],
    ['KWD', '1.250 KWD'],
    ['USD', '12.50 USD'],
  ] as const) {
    const { id, browser } = await clear({ currency, grossMinor: 1_250 });
    const page = readText(await read(browser.get(`/purchases/${id}/receipt`)));
    t.true(page.includes(` ${shown} `), shown);
  }
});

test('the receipt is on its way for ten minutes, and its link stays', async (t) => {
  const { id, em, browser } = await clear();
  const seen = () => read(browser.get(`/purchases/${id}`));
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await em.nativeUpdate(Purchase, { id }, { status: 'cleared', clearedAt: ago(9) });
  t.regex(await seen(), /The receipt is on its way to/);
  await em.nativeUpdate(Purchase, { id }, { clearedAt: ago(11) });
  const later = await seen();
  t.notRegex(later, /on its way/);
  t.true(later.includes(`href="/purchases/${id}/receipt"`));
});

test('a receipt of somebody else, of what has not cleared, and nonsense are 404 alike', async (t) => {
  const { id } = await clear();
  const { browser } = await signedIn();
  const product = await sell();
  await browser.get(`/buy/${product.slug}`);
  const { id: open } = await api.database.em().findOneOrFail(Purchase, { productId: product.id });
  for (const ref of [id, open, 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB', 'x', '%00']) {
    t.is((await browser.get(`/purchases/${ref}/receipt`)).status, 404, ref);
  }
});

test('a receipt says what became of the money since', async (t) => {
  const { id, em, browser } = await clear();
  const seen = () => read(browser.get(`/purchases/${id}/receipt`));
  await em.nativeUpdate(Payment, { purchaseId: id }, { status: 'partially_refunded' });
  t.regex(await seen(), /data-state="part_refunded">Part refunded</);
  t.regex(
    await read(browser.get('/settings/purchases')),
    /data-state="part_refunded">Part refunded</,
  );
  await em.nativeUpdate(Purchase, { id }, { status: 'refunded' });
  t.regex(await seen(), /data-state="refunded">Refunded</);
  await em.nativeUpdate(Purchase, { id }, { status: 'charged_back' });
  t.regex(await seen(), /data-state="charged_back">Charged back</);
});

test('my purchases say in words how each stands, and lead to its receipt', async (t) => {
  const { id, em, browser } = await clear();
  const seen = () => read(browser.get('/settings/purchases'));
  t.true((await seen()).includes(`href="/purchases/${id}/receipt"`));
  const words = {
    pending: 'Not finished',
    clearing: 'Clearing',
    cleared: 'Paid',
    failed: 'Failed',
    canceled: 'Cancelled',
    quarantined: 'Under review',
    refunded: 'Refunded',
    charged_back: 'Charged back',
  } as const;
  await api.test.query(
    `update checkout set status = 'open' where id = (select checkout_id from purchase where id = $1)`,
    [id],
  );
  for (const [status, sentence] of Object.entries(words)) {
    await em.nativeUpdate(Purchase, { id }, { status: status as keyof typeof words });
    const page = await seen();
    t.true(page.includes(`data-status="${status}"`));
    t.true(page.includes(`>${sentence}<`), sentence);
  }
  t.true((await read(browser.get(`/purchases/${id}`))).includes(`href="/purchases/${id}/receipt"`));
});

test('my purchases come fifty a page, the latest first, and nobody else sees them', async (t) => {
  const { id, browser, person } = await clear();
  await api.test.query(
    `with made as (
       insert into checkout (id, person_id, product_id, offer_id, price_id, amount_minor, currency,
         status, expires_at)
       select gen_random_uuid(), c.person_id, c.product_id, c.offer_id, c.price_id, 100 + n, 'USD',
         'expired', now()
       from generate_series(1, 60) n, checkout c
       join purchase p on p.checkout_id = c.id and p.id = $1
       returning id, person_id, product_id, amount_minor)
     insert into purchase (id, checkout_id, person_id, product_id, status, service_source)
     select 'pay_00000000000000000000000' || amount_minor, id, person_id, product_id, 'canceled', 'store'
     from made`,
    [id],
  );
  const rowsOf = (page: string) =>
    [...page.matchAll(/data-purchase="(\w+)"/g)].map(([, row]) => row!);
  const first = await read(browser.get('/settings/purchases'));
  t.is(rowsOf(first).length, 50);
  t.is(rowsOf(first)[0], id);
  const older = /href="(\/settings\/purchases\?before=\w+)" rel="next"/.exec(first)![1]!;
  const second = await read(browser.get(older));
  t.is(rowsOf(second).length, 11);
  t.is(new Set([...rowsOf(first), ...rowsOf(second)]).size, 61);
  t.regex(second, /rel="first"/);
  t.is(rowsOf(await read(browser.get('/settings/purchases?before=nonsense'))).length, 50);
  const { browser: stranger } = await signedIn();
  t.deepEqual(rowsOf(await read(stranger.get(older))), []);
  t.truthy(person.id);
});

/** Where the request leads, and the statements that it took. */
async function follow(path: string) {
  const { result, statements } = await listener.hear(() => counted.request(path));
  return { location: result.headers.get('location'), statements };
}

test.serial(
  'an anonymous click takes at most four statements to sign-in, its record the first after the limit',
  async (t) => {
    const { location, statements } = await follow(`/buy/${slug}?src=docs`);
    t.is(location, '/sign-in');
    t.is(statements.length, 3, statements.join('\n\n'));
    t.regex(statements[0]!, /rate_window/);
    t.regex(statements[1]!, /insert into click/);
    t.regex(statements[2]!, /insert into pre_session/);
  },
);

test.serial('a refused click takes two', async (t) => {
  const { location, statements } = await follow(`/buy/${slug}?currency=zzz`);
  t.is(location, `/p/${slug}?reason=currency_unknown`);
  t.is(statements.length, 2);
});

test.serial('the product page takes one statement, the badge one and its limit', async (t) => {
  const { statements } = await follow(`/p/${slug}`);
  // The ids of a category are kept for ten seconds, but not in tests.
  const isKept = (statement: string) => statement.includes('"product_search"');
  t.is(statements.filter((each) => !isKept(each)).length, 1, statements.join('\n\n'));
  t.is((await follow(`/p/${slug}/badge`)).statements.length, 2);
});
