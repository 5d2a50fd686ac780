import test from 'ava';
import { startApi } from '../../support/http/api.ts';
import { noticeOf } from '../../support/http/arrival.ts';

const api = await startApi();
const operator = { browser: api.browser(), person: await api.seed.person({ isOperator: true }) };
await operator.browser.signIn(operator.person);
test.after.always(() => api.close());

const PATH = '/operator/member';

const set = (fields: Record<string, string>) =>
  operator.browser.submit(PATH, { action: PATH, fields: { interval: 'month', ...fields } });
const withdraw = (currency: string, interval = 'month') =>
  operator.browser.submit(PATH, {
    action: `${PATH}/withdraw`,
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

test.serial('nobody else sees or sets them', async (t) => {
  const [browser, person] = [api.browser(), await api.seed.person({ isBuilder: true })];
  await browser.signIn(person);
  t.is((await browser.get(PATH)).status, 404);
  const fields = { currency: 'USD', amount: '1', interval: 'month' };
  t.is((await browser.submit('/settings/profile', { action: PATH, fields })).status, 404);
});
