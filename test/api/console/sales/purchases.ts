import test from 'ava';
import { newPublicId } from '../../../../domain/shared/ids.ts';
import type { Sale } from '../../../support/purchases/sales.ts';
import { arrivalOf } from '../../../support/http/arrival.ts';
import { api, owner, browser, sales } from './scene.ts';

const { paidSale, newSale, settle, tell, fenceFor, orderOf, paymentOf } = sales;

async function newProduct(ownedBy = owner) {
  const product = await api.seed.product({ owner: ownedBy, prices: { USD: 1_900 } });
  const path = `/console/products/${product.slug}/purchases`;
  const buyer = () => orderOf(product, api.seed);
  return { product, path, buyer };
}

const requestFor = async (sale: Sale) => ({
  reason: 'requested_by_customer',
  refund: newPublicId('re_'),
  payment: String((await paymentOf(sale))['id']),
});

/** As a renewal leaves it. */
async function addCharge({ purchaseId }: Sale): Promise<string> {
  const id = newPublicId('ch_');
  await api.test.query(
    `insert into payment (id, purchase_id, gross_minor, currency, cut_minor, status, processor_id, created_at)
     select $1, purchase_id, gross_minor, currency, cut_minor, 'succeeded', $1, created_at + interval '1 hour'
     from payment where purchase_id = $2`,
    [id, purchaseId],
  );
  return id;
}

async function newStory() {
  const { product, path, buyer } = await newProduct();
  const order = await buyer();
  const sale = await paidSale(order);
  const own = `${path}/${sale.purchaseId}`;
  const request = await requestFor(sale);
  const refund = (fields: Record<string, string> = {}, by = browser) =>
    by.submit('/', {
      action: `${own}/refund`,
      fields: { amount: '19.00', ...request, refund: newPublicId('re_'), ...fields },
    });
  const intents = async () => (await fenceFor(sale)).intents;
  const [person] = await api.test.query<{ handle: string }>(
    'select handle from person where id = $1',
    [sale.personId],
  );
  return { product, path, own, person: person!, sale, refund, intents };
}

const read = async (path: string) => (await browser.get(path)).text();

test('the purchases of a product: who, when, how much and how it stands', async (t) => {
  const { path, own, person } = await newStory();
  const page = await read(path);
  t.true(page.includes(`href="${own}"`));
  t.true(page.includes(person.handle));
  t.regex(page, />19\.00 <small>USD/);
  t.regex(page, /data-state="cleared">Paid</);
});

test('a refund is confirmed first, then asked for once with one audit row', async (t) => {
  const { own, refund, intents, product, sale } = await newStory();
  const confirm = await browser.get(`${own}/refund?amount=5.5&reason=duplicate`);
  t.is(confirm.status, 200);
  const page = await confirm.text();
  t.regex(page, /Refund 5\.50 USD of 19\.00 USD to/);
  t.regex(page, /keeps access/);
  t.deepEqual(await intents(), []);
  const id = /name="refund" value="(re_[^"]+)"/.exec(page)![1]!;
  const fields = { amount: '5.50', reason: 'duplicate', refund: id };
  const answers = await Promise.all([refund(fields), refund(fields), refund(fields)]);
  for (const answer of answers) {
    t.is(arrivalOf(answer), `${own} refund_requested`);
  }
  t.like(await intents(), [{ refundId: id, amountMinor: 550, reason: 'duplicate' }]);
  const audit = await api.test.query(
    `select actor_id, subject, detail from audit where product_id = $1 and action = 'refund.requested'`,
    [product.id],
  );
  const detail = {
    purchaseId: sale.purchaseId,
    amountMinor: 550,
    currency: 'USD',
    reason: 'duplicate',
  };
  t.deepEqual(audit, [{ actor_id: owner.id, subject: id, detail }]);
  const sent = await api.test.query(
    `select 1 from outbox where workflow_id = $1 and message ->> 'kind' = 'refund'`,
    [`purchase:${sale.purchaseId}`],
  );
  t.is(sent.length, 1);
  t.regex(await read(own), /class="pill info[^>]*>Requested</);
});

test('a refund of the whole says that the access is withdrawn', async (t) => {
  const { own } = await newStory();
  t.regex(await read(`${own}/refund`), /19\.00 USD of 19\.00 USD/);
  t.regex(
    await read(`${own}/refund?amount=19&reason=duplicate`),
    /loses the access that this payment gave/,
  );
});

test('an amount that is none, too precise or too much is refused in place, and nothing is written', async (t) => {
  const { own, refund, intents } = await newStory();
  for (const amount of ['', 'x', '0', '0.00', '-1', '1.234', '1e1', '19.01', '99999999999999999']) {
    const asked = await browser.get(
      `${own}/refund?amount=${encodeURIComponent(amount)}&reason=duplicate`,
    );
    t.is(asked.status, 422, amount);
    t.regex(await asked.text(), /id="amount-problem"/, amount);
    t.is((await refund({ amount })).status, 422, amount);
  }
  t.is((await refund({ reason: 'fun' })).status, 400);
  t.is((await refund({ refund: 'x' })).status, 400);
  t.is((await refund({ payment: 'x' })).status, 400);
  t.is((await browser.get(`${own}/refund?amount=1&reason=fun`)).status, 400);
  t.deepEqual(await intents(), []);
});

test('of many refunds at once none goes beyond the gross', async (t) => {
  const { refund, intents } = await newStory();
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => refund({ amount: '8.00' })));
  t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 303, 422, 422, 422]);
  t.is((await intents()).length, 2);
});

test('what is refunded is offered no more, and a part of it is shown as such', async (t) => {
  const { own, path, sale } = await newStory();
  await tell(sale, [{ amountMinor: 900 }]);
  const part = await read(own);
  t.regex(part, />Part refunded</);
  t.regex(part, /name="amount"\s+value="10\.00"/);
  t.regex(part, /Refunded at the payment processor/);
  await tell(sale, [{ amountMinor: 1_000 }]);
  const all = await read(own);
  t.false(all.includes('name="amount"'));
  t.regex(await read(path), /data-state="refunded">Refunded</);
  t.is((await browser.get(`${own}/refund?amount=1&reason=duplicate`)).status, 422);
});

test('a refund may be asked for while the money is under way', async (t) => {
  const { path, buyer } = await newProduct();
  const order = await buyer();
  const sale = await newSale(order);
  t.false((await read(`${path}/${sale.purchaseId}`)).includes('name="amount"'));
  await settle(sale, { status: 'clearing' });
  t.true((await read(`${path}/${sale.purchaseId}`)).includes('name="amount"'));
});

test('only who may refund does: an unverified builder and an operator are told why not', async (t) => {
  const maker = await api.seed.person();
  const { path, buyer } = await newProduct(maker);
  const order = await buyer();
  const sale = await paidSale(order);
  const own = `${path}/${sale.purchaseId}`;
  for (const person of [maker, await api.seed.person({ isOperator: true })]) {
    const other = api.browser();
    await other.signIn(person);
    const page = await (await other.get(own)).text();
    t.true(page.includes(sale.purchaseId));
    t.false(page.includes('name="amount"'));
    t.is((await other.get(`${own}/refund?amount=1&reason=duplicate`)).status, 403);
    const fields = { amount: '1', ...(await requestFor(sale)) };
    t.is((await other.submit('/', { action: `${own}/refund`, fields })).status, 403);
  }
  t.deepEqual((await fenceFor(sale)).intents, []);
});

test('a purchase of another product, an unknown one and nonsense are 404 alike', async (t) => {
  const { own, sale } = await newStory();
  const { path } = await newProduct();
  for (const ref of [sale.purchaseId, 'pay_01K7SXG7JW8V5T2N4M6Q8R0ZAB', 'nonsense', '%00']) {
    t.is((await browser.get(`${path}/${ref}`)).status, 404, ref);
    t.is((await browser.get(`${path}/${ref}/refund?amount=1&reason=duplicate`)).status, 404, ref);
  }
  const stranger = api.browser();
  await stranger.signIn(await api.seed.person({ isBuilder: true }));
  t.is((await stranger.get(own)).status, 404);
  const fields = { amount: '1', ...(await requestFor(sale)) };
  t.is((await stranger.submit('/', { action: `${own}/refund`, fields })).status, 404);
});

test('a form of another purchase refunds nothing here, and says so in place', async (t) => {
  const [one, other] = [await newStory(), await newStory()];
  const refund = newPublicId('re_');
  t.is((await one.refund({ amount: '1.00', refund })).status, 303);
  const answer = await other.refund({ amount: '1.00', refund });
  t.is(answer.status, 422);
  t.regex(await answer.text(), /belongs to another purchase/);
  const { payment } = await requestFor(one.sale);
  t.is((await other.refund({ amount: '1.00', payment })).status, 422);
  t.deepEqual(await other.intents(), []);
});

test('a refund is of the charge that was shown, and never of an older one once that is back', async (t) => {
  const { own, refund, intents, sale } = await newStory();
  const payment = await addCharge(sale);
  const page = await read(`${own}/refund`);
  t.regex(page, new RegExp(`name="payment" value="${payment}"`));
  await tell(sale, [{ paymentId: payment }]);
  t.is((await refund({ payment })).status, 422);
  t.deepEqual(await intents(), []);
});

test('a sale with several charges shows the refunds of all', async (t) => {
  const { own, sale } = await newStory();
  await tell(sale, [{ amountMinor: 700 }]);
  await addCharge(sale);
  const page = await read(own);
  t.regex(page, /Last of 2 charges/);
  t.regex(page, /Refunded of 2 charges/);
  t.regex(page, /Refunded at the payment processor/);
  t.regex(page, /name="amount"\s+value="19\.00"/);
});

test('a purchase shows the fee of the platform and what the seller receives, also after refunds', async (t) => {
  const { own, sale } = await newStory();
  const fees = async () => {
    const facts = [...(await read(own)).matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^]*?)<\/dd>/g)];
    const shown = facts.filter(([, name]) => /fee|receive/.test(name!));
    const wordsOf = (amount: string) => amount.replaceAll(/<[^>]+>/g, '');
    return Object.fromEntries(shown.map(([, name, amount]) => [name, wordsOf(amount!)]));
  };
  t.deepEqual(await fees(), { 'Platform fee': '−1.90 USD', 'You receive': '17.10 USD' });
  await tell(sale, [{ amountMinor: 905 }]);
  t.deepEqual(await fees(), {
    'Platform fee': '−1.90 USD',
    'Platform fee refunded': '0.90 USD',
    'You receive': '8.95 USD',
  });
  await tell(sale, [{ amountMinor: 995 }]);
  t.deepEqual(await fees(), {
    'Platform fee': '−1.90 USD',
    'Platform fee refunded': '1.90 USD',
    'You receive': '0.00 USD',
  });
});

test('prices and selling say the fee of the platform before the first sale', async (t) => {
  const product = await api.seed.product({ owner, prices: { USD: 1_450, EUR: 999 } });
  const page = await read(`/console/products/${product.slug}/prices`);
  t.regex(page, /Fee, 10 %<[^]*−1\.45 <small>USD[^]*13\.05 <small>USD/);
  t.regex(page, /Fee, 10 %<[^]*−0\.99 <small>EUR[^]*9\.00 <small>EUR/);
  t.regex(
    await read(`/console/products/${product.slug}/selling`),
    /Platform fee: 10 % of each payment/,
  );
});
