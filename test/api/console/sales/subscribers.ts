import test from 'ava';
import {
  selectCohorts,
  selectFailing,
  selectNext,
  type Selection,
} from '../../../../domain/billing/reports/metrics.query.ts';
import {
  selectSubscribers,
  type SubscriberSearch,
} from '../../../../domain/billing/reports/subscriber-list.repository.ts';
import { createSubscriberRows } from '../../../support/subscriptions/subscriber-rows.ts';
import { api, owner, browser } from './scene.ts';

const add = createSubscriberRows(api.test);

async function newProduct() {
  const product = await api.seed.product({ owner, prices: { USD: 1_900 } });
  const own = `/console/products/${product.slug}`;
  return { product, own, path: `${own}/subscribers` };
}

const read = async (path: string) => (await browser.get(path)).text();

const idsOf = (page: string) =>
  [...page.matchAll(/purchases\/pay_(\d{26})"/g)].map(([, number]) => `sub_${number}`);

const nextOf = (page: string) =>
  /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&');

/** The cells of each row of the list, their words alone. */
const rowsOf = (page: string) =>
  [...page.matchAll(/<tr>\s*<td[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) =>
      cell!
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );

test('a subscriber is shown with terms, status in words, and what comes next', async (t) => {
  const { product, path, own } = await newProduct();
  const productId = product.id;
  const at = (day: string) => new Date(`${day}T10:20:30Z`);
  const periodEnd = at('2031-05-06');
  const began = (day: string) => ({ productId, periodEnd, beganAt: at(day) });
  await add({ ...began('2025-01-09'), status: 'active' });
  await add({ ...began('2025-01-08'), requestedChange: 'cancel', billingInterval: 'year' });
  await add({ ...began('2025-01-07'), status: 'past_due', currency: 'JPY', amountMinor: 500 });
  await add({ ...began('2025-01-06'), status: 'canceling', currency: 'KWD' });
  await add({ ...began('2025-01-05'), status: 'canceling', requestedChange: 'resume' });
  const [last] = await add({
    ...began('2025-01-04'),
    status: 'ended',
    endedAt: at('2025-03-04'),
  });
  const page = await read(path);
  const rows = rowsOf(page);
  const paid = '6 May 2031';
  const then = `${paid}, 10:20`;
  t.deepEqual(
    rows.map(([, price, state, next, until, since]) => [since, price, state, until, next]),
    [
      ['9 Jan 2025', '19.00 USD a month', 'Active', paid, `Renews ${then}`],
      ['8 Jan 2025', '19.00 USD a year', 'Active', paid, 'Cancelling...'],
      ['7 Jan 2025', '500 JPY a month', 'Payment failed', paid, `Grace period ends ${then}`],
      ['6 Jan 2025', '1.900 KWD a month', 'Ending', paid, `Ends ${then}`],
      ['5 Jan 2025', '19.00 USD a month', 'Ending', paid, 'Resuming...'],
      ['4 Jan 2025', '19.00 USD a month', 'Ended', paid, 'Ended 4 Mar 2025, 10:20'],
    ],
  );
  t.regex(rows[0]![0]!, /^@many_\d+$/);
  const counts = [...page.matchAll(/>([A-Z][a-z ]+) <small>(\d+)<\/small>/g)];
  t.deepEqual(
    counts.map(([, name, count]) => `${name} ${count}`),
    ['All 6', 'Active 2', 'Payment failed 1', 'Ending 2', 'Ended 1'],
  );
  t.true(page.includes(`href="${own}/purchases/${last!.replace('sub_', 'pay_')}"`));
});

test('what was never paid for is no subscriber, and another product has its own', async (t) => {
  const { product, path } = await newProduct();
  const other = await newProduct();
  await add({ productId: product.id, status: 'incomplete' });
  const [theirs] = await add({ productId: other.product.id });
  const page = await read(path);
  t.regex(page, /No subscribers yet/);
  t.true(page.includes(`href="/console/products/${product.slug}/prices?kind=monthly#editor"`));
  t.deepEqual(idsOf(await read(`${path}?before=${theirs}`)), []);
  t.deepEqual(idsOf(await read(other.path)), [theirs!]);
});

test('a long list goes page by page, each subscription once, the latest first', async (t) => {
  const { product, path } = await newProduct();
  const productId = product.id;
  const active = await add({ productId, count: 120 });
  // At one and the same instant, the id decides.
  const beganAt = new Date('2026-02-01T00:00:00Z');
  const ended = { productId, status: 'ended', beganAt } as const;
  const old: string[] = [];
  for (let index = 0; index < 3; index += 1) old.unshift(...(await add(ended)));
  const walk = async (from: string) => {
    const seen: string[] = [];
    for (let next: string | undefined = from; next;) {
      const page = await read(next);
      seen.push(...idsOf(page));
      next = nextOf(page);
    }
    return seen;
  };
  t.deepEqual(await walk(path), [...active, ...old]);
  t.deepEqual(await walk(`${path}?status=active`), active);
  t.deepEqual(await walk(`${path}?status=ended`), old);
  t.deepEqual(await walk(`${path}?status=past_due`), []);
  t.regex(await read(`${path}?status=past_due`), /Nothing matches/);
});

test('a status or a place that is none is 400 and says which parameter', async (t) => {
  const { product, path } = await newProduct();
  await add({ productId: product.id });
  for (const query of [
    'status=paused',
    'status=incomplete',
    'status=active&status=ended',
    'status=%00',
    'before=x',
    'before=pay_01',
    `before=sub_${'0'.repeat(27)}`,
    `before=%00`,
  ]) {
    const response = await browser.get(`${path}?${query}`);
    t.is(response.status, 400, query);
    t.regex(await response.text(), new RegExp(query.split('=')[0]!));
  }
  for (const query of ['status=paused', 'status=active&status=ended']) {
    t.is((await browser.get(`${path}/subscribers.csv?${query}`)).status, 400, query);
  }
  t.is((await browser.get(`${path}?before=`)).status, 200);
});

const HEAD =
  'subscription_id,purchase_id,handle,status,amount,amount_minor,currency,interval,began_utc,paid_until_utc,grace_ends_utc,cancels_utc,ended_utc';

test('the CSV of subscribers has each once, however many there are', async (t) => {
  const { product, path } = await newProduct();
  const productId = product.id;
  const active = await add({ productId, count: 2_500, currency: 'KWD', amountMinor: 12_345 });
  const [ended] = await add({
    productId,
    status: 'ended',
    beganAt: new Date('2026-01-02T03:04:05.678Z'),
    periodEnd: new Date('2026-02-02T03:04:05Z'),
    endedAt: new Date('2026-02-03T00:00:00Z'),
  });
  const response = await browser.get(`${path}/subscribers.csv`);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  t.is(
    response.headers.get('content-disposition'),
    `attachment; filename="${product.slug}-subscribers.csv"`,
  );
  const lines = (await response.text()).split('\r\n');
  t.is(lines.shift(), HEAD);
  t.is(lines.pop(), '');
  t.deepEqual(
    lines.map((line) => line.split(',')[0]!),
    [...active, ended!],
  );
  t.regex(lines[0]!, /,active,12\.345,12345,KWD,month,/);
  const number = ended!.slice(4);
  const expected = `sub_${number},pay_${number},many_${Number(number)},ended,19.00,1900,USD,month,2026-01-02T03:04:05.678Z,2026-02-02T03:04:05.000Z,,,2026-02-03T00:00:00.000Z`;
  t.is(lines.at(-1), expected);
  const some = (await read(`${path}/subscribers.csv?status=ended`)).trimEnd().split('\r\n');
  t.deepEqual(some, [HEAD, expected]);
});

test('the workflow of a subscription is linked for operators alone', async (t) => {
  const { product, path } = await newProduct();
  const [id] = await add({ productId: product.id });
  const operator = api.browser();
  await operator.signIn(await api.seed.person({ isOperator: true }));
  const url = `http://localhost:8233/namespaces/default/workflows/subscription%3A${id}`;
  t.true((await (await operator.get(path)).text()).includes(`href="${url}"`));
  const own = await read(path);
  t.true(own.includes(id!.replace('sub_', 'pay_')));
  t.false(own.includes('8233'));
});

test('an unverified builder sees subscribers, and neither exports them nor sees what they come to', async (t) => {
  const builder = await api.seed.person();
  const product = await api.seed.product({ owner: builder });
  await add({ productId: product.id });
  const lone = api.browser();
  await lone.signIn(builder);
  const own = `/console/products/${product.slug}`;
  const list = await lone.get(`${own}/subscribers`);
  t.is(list.status, 200);
  const page = await list.text();
  t.false(page.includes('subscribers.csv'));
  t.false(page.includes('/recurring"'));
  for (const path of ['/subscribers/subscribers.csv', '/recurring', '/recurring/months.csv']) {
    const refused = await lone.get(own + path);
    t.is(refused.status, 403, path);
    t.regex(await refused.text(), /Your role does not allow you to/);
  }
  t.true((await read((await newProduct()).path)).includes('/recurring"'));
});

test.serial(
  'lists and figures read their own stretch of an index, however many subscriptions there are',
  async (t) => {
    const { product } = await newProduct();
    const others = await newProduct();
    const productId = product.id;
    await add({ productId: others.product.id, count: 30_000 });
    const mine = await add({ productId, count: 1_500 });
    await add({ productId, count: 2_000, status: 'ended' });
    await add({ productId, count: 20, status: 'past_due' });
    await api.test.query('vacuum analyze subscription');
    await api.test.query('analyze person');
    const search = { productId, status: null, before: null, limit: 51 };
    const place = { before: mine[700]! };
    const compiled = (searched: SubscriberSearch): Selection => {
      const { sql, parameters } = selectSubscribers(api.database.em(), searched).compile();
      const values = [...parameters] as Selection['values'];
      return { sql: sql.replaceAll(/\$\d+/g, '?'), values };
    };
    const selections: [Selection, RegExp][] = [
      [compiled(search), /subscription_began/],
      [compiled({ ...search, ...place }), /subscription_began/],
      [compiled({ ...search, ...place, limit: 1_000 }), /subscription_/],
      [compiled({ ...search, status: 'ended' }), /subscription_status/],
      [compiled({ ...search, ...place, status: 'active' }), /subscription_status/],
      [selectCohorts({ productId, from: new Date('2026-01-01') }), /subscription_(began|status)/],
      [selectNext({ productId, until: new Date('2040-01-01') }), /subscription_/],
      [selectFailing(productId), /subscription_/],
    ];
    for (const [{ sql, values }, index] of selections) {
      const written = values.map((value) =>
        typeof value === 'number' ? value : `'${value instanceof Date ? value.toJSON() : value}'`,
      );
      const text = sql.replaceAll('?', () => String(written.shift()));
      const plan = await api.test.query<{ 'QUERY PLAN': string }>(`explain ${text}`);
      const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
      t.regex(lines, index);
      t.notRegex(lines, /Seq Scan on subscription/);
      // A page is read in the order of the index: what follows it is not looked at.
      if (values.at(-1) === 51) t.notRegex(lines, /Sort Key|Seq Scan/);
    }
  },
);
