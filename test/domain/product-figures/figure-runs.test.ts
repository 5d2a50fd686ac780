import test from 'ava';
import {
  loadProductFigures,
  removeOldFigures,
  sumProductFigures,
} from '../../../domain/product-figures/product-figures.query.ts';
import { ALL_PRODUCTS } from '../../../domain/product-figures/figure-kind.ts';
import { loadPlatformFigures } from '../../../domain/product-figures/platform-figures.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { DAY_MS, toDay } from '../../../domain/shared/instant.ts';
import { now } from '../../../platform/database/database.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { startListener } from '../../support/database/statements.ts';
import { openAppDatabase } from '../../support/engines/database.ts';
import { database, goTo, query, stored, sum, testDatabase } from './figures.scene.ts';

const versions = () =>
  query(
    `select product_id, day::text, kind, currency, count, sum_minor, xmin::text, ctid::text
     from product_figure order by 1, 2, 3, 4`,
  );

test.serial('a second run changes nothing, and what is no longer there becomes zero', async (t) => {
  const { productId } = await addProduct(testDatabase);
  await goTo(12);
  await query(
    `insert into check_day (product_id, day, checks, open_checks)
     values ($1, (gatehouse_now() at time zone 'UTC')::date, 7, 5)`,
    [productId],
  );
  await sum();
  const first = await versions();
  t.is(first.length, 4, 'two of the product, and two of all products');
  await sum();
  t.deepEqual(await versions(), first);
  await query('update check_day set open_checks = 7 where product_id = $1', [productId]);
  await sum();
  const day = toDay(await now(database.em()));
  t.deepEqual(await stored(productId), [`${day} checks_open XXX 7 0`]);
});

test.serial('runs at once do not collide', async (t) => {
  await goTo(12);
  for (let n = 0; n < 20; n += 1) {
    const { productId } = await addProduct(testDatabase);
    await query(
      `insert into check_day (product_id, day, checks, open_checks)
       select $1, (gatehouse_now() at time zone 'UTC')::date - ago, 3, 2 from generate_series(0, 3) ago`,
      [productId],
    );
  }
  await t.notThrowsAsync(Promise.all(Array.from({ length: 6 }, sum)));
  const expected = await query<{ n: number }>(
    `select count(*)::int as n from check_day c left join product_figure f
       on f.product_id = c.product_id and f.day = c.day and f.kind = 'checks_open'
     where f.count is distinct from c.open_checks
       and c.day > (gatehouse_now() at time zone 'UTC')::date - 4`,
  );
  t.deepEqual(expected, [{ n: 0 }]);
});

test.serial('days that no run summed are summed by the next one', async (t) => {
  const { productId } = await addProduct(testDatabase);
  await goTo(12);
  const addChecks = (from: number, to: number) =>
    query(
      `insert into check_day (product_id, day, checks, open_checks)
       select $1, (gatehouse_now() at time zone 'UTC')::date + ahead, 1, 1 from generate_series($2::int, $3::int) ahead`,
      [productId, from, to],
    );
  await addChecks(0, 0);
  await sum();
  await addChecks(-5, -1);
  await addChecks(1, 8);
  await testDatabase.advance(10 * DAY_MS);
  await sum();
  t.is((await stored(productId)).length, 9, 'from the last day that was summed');
});

test.serial(
  'an overview is two statements, and a run has as many for any number of products',
  async (t) => {
    const listener = await startListener(testDatabase.url);
    const observed = openAppDatabase(listener.url);
    t.teardown(async () => {
      await observed.close();
      listener.close();
    });
    const { productId } = await addProduct(testDatabase);
    const at = await now(database.em());
    for (const days of [7, 28, 90] as const) {
      const input = { productId, days, currency: 'USD', now: at };
      const { result, statements } = await listener.hear(() =>
        loadProductFigures(observed.em(), input),
      );
      t.is(statements.length, 2, statements.join('; '));
      t.is(result.days.length, days);
      t.like(result, { currencies: [] });
    }
    const count = async () => {
      const { statements } = await listener.hear(() => sumProductFigures(observed.pool));
      return statements.length;
    };
    const before = await count();
    t.true(before > 4);
    for (let n = 0; n < 5; n += 1) await addProduct(testDatabase);
    t.is(await count(), before);
  },
);

test.serial('figures are removed after 400 days', async (t) => {
  const productId = newUuid();
  await query(
    `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
     select $1, (gatehouse_now() at time zone 'UTC')::date - ago, 'customers', 'XXX', ago, 0
     from unnest(array[399, 400, 401, 900]) ago`,
    [productId],
  );
  t.false(await database.transaction(removeOldFigures));
  const left = await query(
    'select count::int from product_figure where product_id = $1 order by count',
    [productId],
  );
  t.deepEqual(left, [{ count: 399 }, { count: 400 }]);
});

const loadAll = async (currency: string | null = null) =>
  loadPlatformFigures(database.em(), { days: 7, currency, now: await now(database.em()) });

test.serial('the figures of all products are summed with those of each', async (t) => {
  const addChecked = async () => {
    const { productId } = await addProduct(testDatabase);
    await query(
      `insert into check_day (product_id, day, checks, open_checks)
       values ($1, (gatehouse_now() at time zone 'UTC')::date, 7, 5)`,
      [productId],
    );
  };
  await goTo(12);
  await addChecked();
  await sum();
  const before = await loadAll();
  for (let n = 0; n < 2; n += 1) await addChecked();
  await sum();
  const { checks } = (await loadAll()).strips;
  t.is(checks.value - before.strips.checks.value, 14);
  await sum();
  t.is((await loadAll()).strips.checks.value, checks.value, 'sums are not summed again');
});

test.serial('until today is summed, the figures of all products end with yesterday', async (t) => {
  const at = await goTo(12);
  const [today, yesterday] = [toDay(at), toDay(new Date(at.getTime() - DAY_MS))];
  const add = (day: string, count: number) =>
    query(
      `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
       values ($1, $2, 'customers', 'XXX', $3, 0)`,
      [ALL_PRODUCTS, day, count],
    );
  await add(yesterday, 40);
  const before = await loadAll();
  t.like(before, { to: yesterday, strips: { customers: { value: 40 } } });
  t.false(before.days.some(({ isToday }) => isToday));
  await add(today, 41);
  const after = await loadAll();
  t.like(after, { to: today, strips: { customers: { value: 41 } } });
  t.true(after.days.at(-1)!.isToday);
});

test.serial('the sales of all products are shown in the currency of most of them', async (t) => {
  t.like(await loadAll(), { currency: null, currencies: [] });
  await query(
    `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
     select $1, (gatehouse_now() at time zone 'UTC')::date - 5, kind, currency, n, minor
     from (values ('sales', 'USD', 1, 1900), ('sales', 'EUR', 2, 700), ('refunds', 'EUR', 1, 200)
       ) kinds (kind, currency, n, minor)`,
    [ALL_PRODUCTS],
  );
  const shown = await loadAll();
  t.like(shown, { currency: 'EUR', currencies: ['EUR', 'USD'] });
  t.is(shown.total.revenueMinor, 500);
  t.is((await loadAll('USD')).total.revenueMinor, 1_900);
  t.is((await loadAll('GBP')).currency, 'EUR', 'nothing was sold in it');
});
