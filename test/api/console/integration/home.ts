import test from 'ava';
import { loadHomeFigures } from '../../../../domain/product-figures/home-figures.repository.ts';
import { notify } from '../../../../domain/notifications/notification.repository.ts';
import { createSales } from '../../../support/purchases/sales.ts';
import { teams } from './scene.ts';

const { api } = teams;

const sales = createSales({ testDatabase: api.test, database: api.database });

type Figure = { kind: string; currency?: string; daysAgo: number; count?: number; sum?: number };

async function addFigures(productId: string, figures: Figure[]) {
  for (const { kind, currency = 'XXX', daysAgo, count = 1, sum = 0 } of figures) {
    await api.test.query(
      `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
       values ($1, (gatehouse_now() at time zone 'UTC')::date - $2::int, $3, $4, $5, $6)`,
      [productId, daysAgo, kind, currency, count, sum],
    );
  }
}

async function scene() {
  const team = await teams.wholeTeam();
  const product = await teams.productOf(team, { prices: { USD: 1_900 } });
  await addFigures(product.id, [
    { kind: 'sales', currency: 'USD', daysAgo: 1, count: 3, sum: 571_200 },
    { kind: 'refunds', currency: 'USD', daysAgo: 2, sum: 1_900 },
    { kind: 'sales', currency: 'EUR', daysAgo: 3, sum: 1_750 },
    { kind: 'customers', daysAgo: 1, count: 1_406 },
  ]);
  const path = `/console/products/${product.slug}`;
  const read = async (role: keyof typeof team.members, at: string) =>
    (await team.members[role].browser.get(at)).text();
  return { team, product, path, read };
}

/** Amounts as they are read, without their marks. */
const text = (page: string) => page.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');

test('sums of money are seen by those who may see statements alone', async (t) => {
  const { team, path, read } = await scene();
  for (const role of ['owner', 'admin', 'finance', 'developer', 'viewer'] as const) {
    const seesMoney = role !== 'developer' && role !== 'viewer';
    for (const at of ['/console', path]) {
      const page = text(await read(role, at));
      t.is(page.includes('5,693.00 USD'), seesMoney, `${role} ${at}`);
      t.true(page.includes('Customers with access'), `${role} ${at}`);
    }
    for (const at of ['/console/payouts', '/console/statements']) {
      const { status } = await team.members[role].browser.get(at);
      t.is(status, seesMoney ? 200 : 403, `${role} ${at}`);
      t.is((await read(role, '/console')).includes(`href="${at}"`), seesMoney, `${role} ${at}`);
    }
  }
});

test('the overview shows one currency, chosen by a link, and the days asked for', async (t) => {
  const { path, read } = await scene();
  const page = await read('owner', path);
  t.true(page.includes(`href="${path}?days=28&amp;currency=EUR"`));
  t.regex(page, /href="[^"]+days=28&amp;currency=USD"\s+aria-current="true"/);
  t.false(text(page).includes('17.50 EUR'));
  const inEuro = text(await read('owner', `${path}?days=7&currency=EUR`));
  t.true(inEuro.includes('17.50 EUR') && inEuro.includes('Last 7 days'));
  t.false(inEuro.includes('5,693.00 USD'));
  t.regex(text(await read('owner', `${path}?days=1&currency=x`)), /5,693\.00 USD/);
});

test('statements list the months of all products, each with its sums', async (t) => {
  const { product, read } = await scene();
  const page = await read('finance', '/console/statements');
  t.true(page.includes(`href="/console/products/${product.slug}/statements/`));
  t.regex(text(page), /5,712\.00 USD/);
  t.regex(text(page), /17\.50 EUR/);
});

test('payouts show the state of the account of each owner', async (t) => {
  const { team, product, read } = await scene();
  t.regex(text(await read('finance', '/console/payouts')), /Not set up/);
  await api.test.query(
    `insert into payout_account (id, team_id, processor_account, can_charge)
     values (gen_random_uuid(), $1, $2, true)`,
    [team.id, `acct_${product.slug}`],
  );
  const page = await read('finance', '/console/payouts');
  t.regex(text(page), /Enabled/);
  t.true(page.includes(`href="/console/products/${product.slug}/selling#payouts"`));
});

test('products of one owner are shown, and never those of a team of others', async (t) => {
  const { team, product, read } = await scene();
  const { person, browser } = team.members.owner;
  const own = await api.seed.product({ owner: person });
  const shown = async (owner: string) => {
    const page = await (await browser.get(`/console?owner=${owner}`)).text();
    return [own, product].map(({ slug }) => page.includes(`data-product="${slug}"`));
  };
  t.deepEqual(await shown('me'), [true, false]);
  t.deepEqual(await shown(team.id), [false, true]);
  t.deepEqual(await shown(crypto.randomUUID()), [true, true]);
  const other = await scene();
  t.false((await read('owner', `/console?owner=${other.team.id}`)).includes(other.product.slug));
});

test('the latest of one owner tells of products of that owner alone', async (t) => {
  const { team, product } = await scene();
  const { person, browser } = team.members.owner;
  const data = { product: 'Tide', amount: '19.00 USD', purchase: 'pay_1' };
  const audience = { personId: person.id };
  const notice = { kind: 'sale_made', productId: product.id, audience, data } as const;
  await api.database.transaction((em) => notify(em, notice));
  const shown = async (owner: string) =>
    (await (await browser.get(`/console?owner=${owner}`)).text()).includes('Tide was bought');
  t.true(await shown(team.id));
  t.true(await shown('all'));
  t.false(await shown('me'));
  const own = { ...notice, productId: null, data: { ...data, product: 'Reef' } };
  await api.database.transaction(async (em) => {
    for (let count = 0; count < 60; count += 1) await notify(em, own);
  });
  t.true(await shown(team.id), 'newer ones of others do not hide it');
});

test('the figures of products are read for those asked for alone', async (t) => {
  const { product } = await scene();
  const em = api.database.em();
  const now = new Date();
  const found = await loadHomeFigures(em, { productIds: [product.id], now });
  t.deepEqual([...found.keys()], [product.id]);
  t.is((await loadHomeFigures(em, { productIds: [], now })).size, 0);
});

test('the navigation of a product counts open disputes', async (t) => {
  const { product, path, read } = await scene();
  const count = /Disputes<span class="count"\s*>1</;
  t.notRegex(await read('viewer', `${path}/keys`), count);
  const sale = await sales.paidSale(await sales.orderOf(product, api.seed));
  await sales.dispute(sale, { status: 'open', dueAt: null });
  t.regex(await read('viewer', `${path}/keys`), count);
});
