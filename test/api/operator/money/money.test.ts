import test from 'ava';
import {
  readFeeOfPurchase,
  readPlatformFee,
} from '../../../../domain/billing/platform-fee.repository.ts';
import { startBuying } from '../../../support/purchases/buying.ts';
import { noticeOf } from '../../../support/http/arrival.ts';

const buying = await startBuying();
const { api } = buying;
const operator = { browser: api.browser(), person: await api.seed.person({ isOperator: true }) };
await operator.browser.signIn(operator.person);
test.after.always(() => api.close());

const PATH = '/operator/money';

const setFee = (basis_points: string) =>
  operator.browser.submit(PATH, { action: `${PATH}/fee`, fields: { basis_points } });
const currency = (action: string, code: string) =>
  operator.browser.submit(PATH, {
    action: `${PATH}/currencies`,
    fields: { action, currency: code },
  });
const auditOf = (action: string) =>
  api.test.query<{ subject: string; detail: object }>(
    'select subject, detail from audit where action = $1 order by at, id',
    [action],
  );
const buyIn = async (slug: string, code: string) =>
  (await api.request(`/buy/${slug}?currency=${code}`)).headers.get('location')!;

test.serial('the standard currencies are enabled, and the fee is 10 percent', async (t) => {
  const page = await (await operator.browser.get(PATH)).text();
  for (const code of ['USD', 'BRL', 'EUR', 'GBP']) t.true(page.includes(`Disable ${code}`), code);
  t.is(await readPlatformFee(api.database.em()), 1_000);
});

test.serial('products are priced and sold in a currency once it is enabled', async (t) => {
  const product = await buying.sell({ prices: { USD: 1_250, JPY: 2_000 } });
  t.regex(await buyIn(product.slug, 'JPY'), /reason=currency_not_offered/);
  t.is((await currency('enable', ' jpy ')).status, 303);
  t.is(noticeOf(await currency('enable', 'JPY')), 'unchanged');
  t.is(await buyIn(product.slug, 'JPY'), '/sign-in');
  t.is((await currency('disable', 'JPY')).status, 303);
  t.regex(await buyIn(product.slug, 'JPY'), /reason=currency_not_offered/);
  t.deepEqual(
    (await auditOf('currency.enabled')).map(({ subject }) => subject),
    ['JPY'],
  );
  t.is((await auditOf('currency.disabled')).length, 1);
});

test.serial(
  'while the currency of the base price is disabled, the others go on selling',
  async (t) => {
    const product = await buying.sell({ prices: { GBP: 900, USD: 1_250 } });
    const onlyGbp = await buying.sell({ prices: { GBP: 900 } });
    const asked = await (await operator.browser.get(PATH)).text();
    const [, sentence = ''] =
      /Disable <span class="unseen">GBP<[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(asked) ?? [];
    const said = sentence.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ');
    t.regex(
      said,
      /2 listed products have a price in GBP\. 1 product has no other currency and stops/,
    );
    await currency('disable', 'GBP');
    t.is(await buyIn(product.slug, 'USD'), '/sign-in');
    t.regex(await (await api.request(`/p/${product.slug}`)).text(), /12\.50 USD/);
    const stopped = await api.request(`/buy/${onlyGbp.slug}`);
    t.regex(stopped.headers.get('location')!, /reason=no_active_price/);
    const location = (await api.request(`/buy/${product.slug}`)).headers.get('location')!;
    t.regex(location, /reason=currency_not_offered/);
    await currency('enable', 'GBP');
    t.is((await api.request(`/buy/${product.slug}`)).headers.get('location'), '/sign-in');
  },
);

test.serial('what is no currency is refused in place', async (t) => {
  for (const code of ['', 'ABC', 'XAU', 'XTS', 'US', 'dollars', 'IRR']) {
    const response = await currency('enable', code);
    t.is(response.status, 422, code);
    t.regex(await response.text(), /id="currency-problem"/);
  }
});

test.serial(
  'a fee that is set holds from then on, with its history and in the trail',
  async (t) => {
    t.is(noticeOf(await setFee(' 1250 ')), 'fee_set');
    t.is(noticeOf(await setFee('1250')), 'unchanged');
    t.is(await readPlatformFee(api.database.em()), 1_250);
    const page = await (await operator.browser.get(PATH)).text();
    t.regex(page, /1250[\s\S]*From the start[\s\S]*1000/);
    t.deepEqual(await auditOf('fee.set'), [
      { subject: 'platform_fee', detail: { from: 1_000, to: 1_250 } },
    ]);
  },
);

test.serial('a fee that is no whole number from 0 to 10000 is refused in place', async (t) => {
  for (const typed of ['', '-1', '10001', '12.5', '1e3', '99999999999999999999', 'ten']) {
    const response = await setFee(typed);
    t.is(response.status, 422, typed);
    t.regex(await response.text(), /id="basis_points-problem"/);
  }
});

test.serial('of fees set at once each is told what held before it', async (t) => {
  await Promise.all(['100', '200', '300', '400'].map(setFee));
  const told = (await auditOf('fee.set')).slice(-4).map(({ detail }) => detail);
  const fees = told as { from: number; to: number }[];
  t.is(new Set(fees.map(({ from }) => from)).size, 4, 'a chain, without a fork');
});

test.serial(
  'a checkout keeps the fee of its making: the processor is told what is booked',
  async (t) => {
    await setFee('2000');
    const product = await buying.sell();
    const { browser } = await buying.signedIn();
    buying.expectCheckout(t, await browser.get(`/buy/${product.slug}`));
    await setFee('500');
    const [purchase] = await buying.purchasesOf(product);
    const purchaseId = String(purchase!['id']);
    t.is(await readFeeOfPurchase(api.database.em(), purchaseId), 2_000);
    const [session] = await api.test.query<{ application_fee: string }>(
      `select application_fee from simulator.checkout_session where metadata ->> 'purchase_id' = $1`,
      [purchaseId],
    );
    t.is(session!.application_fee, '250');
  },
);

const MEMBER_PATH = '/operator/member';

const set = (fields: Record<string, string>) =>
  operator.browser.submit(MEMBER_PATH, {
    action: MEMBER_PATH,
    fields: { interval: 'month', ...fields },
  });
const withdraw = (currency: string, interval = 'month') =>
  operator.browser.submit(MEMBER_PATH, {
    action: `${MEMBER_PATH}/withdraw`,
    fields: { currency, interval },
  });
const versions = () =>
  api.test.query<{ amount: number; isRetired: boolean }>(
    `select amount_minor::int as amount, retired_at is not null as "isRetired" from member_price
     where currency = 'USD' and billing_interval = 'month' order by created_at, id`,
  );

test.serial(
  "an operator sets Member's price in a currency, and each change is a version",
  async (t) => {
    t.is(noticeOf(await set({ currency: ' usd ', amount: '9.99' })), 'price_set');
    t.is(noticeOf(await set({ currency: 'USD', amount: '9.99' })), 'unchanged');
    t.is(noticeOf(await set({ currency: 'USD', amount: '12.00' })), 'price_set');
    t.deepEqual(await versions(), [
      { amount: 999, isRetired: true },
      { amount: 1_200, isRetired: false },
    ]);
    t.is(noticeOf(await set({ currency: 'USD', amount: '99', interval: 'year' })), 'price_set');
    const audit = await api.test.query<{ detail: object }>(
      `select detail from audit where action = 'member_price.set' order by at, id`,
    );
    t.deepEqual(audit[1]!.detail, { interval: 'month', amount_minor: 1_200, before_minor: 999 });
    t.regex(await (await api.request('/member')).text(), /Subscribe for.*12\.00 USD.*a month/s);
  },
);

test.serial('the same price set twice at once is one version', async (t) => {
  const before = (await versions()).length;
  await Promise.all([1, 2, 3].map(() => set({ currency: 'USD', amount: '13.00' })));
  t.is((await versions()).length, before + 1);
});

test.serial(
  'what is no price is answered with what is wrong, and nothing is written',
  async (t) => {
    const before = await versions();
    for (const fields of [
      { currency: 'XXX', amount: '5' },
      { currency: 'JPY', amount: '5' },
      { currency: 'USD', amount: '5.001' },
      { currency: 'USD', amount: '-5' },
    ]) {
      t.is((await set(fields)).status, 422, JSON.stringify(fields));
    }
    t.is((await set({ currency: 'USD', amount: '5', interval: 'week' })).status, 400);
    t.deepEqual(await versions(), before);
  },
);

test.serial('a price that is withdrawn is sold no more', async (t) => {
  t.is(noticeOf(await withdraw('USD')), 'price_withdrawn');
  t.is(noticeOf(await withdraw('USD')), 'unchanged');
  const answer = await api.request('/member/subscribe?currency=USD&interval=month');
  t.is(answer.headers.get('location'), '/member?reason=currency_not_offered');
});

test.serial('nobody but an operator sees or sets the prices of Member', async (t) => {
  const [browser, person] = [api.browser(), await api.seed.person({ isBuilder: true })];
  await browser.signIn(person);
  t.is((await browser.get(MEMBER_PATH)).status, 404);
  const fields = { currency: 'USD', amount: '1', interval: 'month' };
  t.is((await browser.submit('/settings/profile', { action: MEMBER_PATH, fields })).status, 404);
});
