import test from 'ava';
import type { FigureKind } from '../../../domain/product-figures/figure-kind.ts';
import {
  sumCustomers,
  sumRevenue,
  summariseProducts,
  type SummedFigure,
} from '../../../domain/product-figures/home-figures.ts';
import { addDays } from '../../../domain/product-figures/overview.ts';

const TODAY = '2026-11-27';

type Made = { productId?: string; currency?: string; count?: number; sumMinor?: number };

function figure(kind: FigureKind, daysAgo: number, made: Made = {}): SummedFigure {
  const { productId = 'one', currency = 'XXX', count = 0, sumMinor = 0 } = made;
  return { productId, kind, currency, day: addDays(TODAY, -daysAgo), count, sumMinor };
}

const sale = (daysAgo: number, sumMinor: number, made: Made = {}) =>
  figure('sales', daysAgo, { currency: 'USD', count: 1, sumMinor, ...made });

test('revenue is that of 28 days less refunds, beside the 28 days before', (t) => {
  const figures = [
    sale(0, 500),
    sale(27, 1_000),
    figure('refunds', 3, { currency: 'USD', count: 1, sumMinor: 300 }),
    sale(28, 800),
    sale(55, 200),
  ];
  const [revenue] = summariseProducts(figures, TODAY).get('one')!.revenue;
  t.like(revenue, { currency: 'USD', valueMinor: 1_200, beforeMinor: 1_000, change: 20 });
  t.is(revenue!.series.length, 28);
  t.is(revenue!.series.at(-1), 500);
});

test('amounts of two currencies are never added, and the largest one is first', (t) => {
  const figures = [
    sale(1, 100),
    sale(1, 900, { currency: 'EUR' }),
    sale(2, 50, { productId: 'two' }),
    sale(40, 75, { productId: 'two' }),
  ];
  const summaries = [...summariseProducts(figures, TODAY).values()];
  const total = sumRevenue(summaries).map(({ currency, valueMinor }) => [currency, valueMinor]);
  t.deepEqual(total, [
    ['EUR', 900],
    ['USD', 150],
  ]);
  t.is(sumRevenue(summaries)[1]!.change, 100);
  t.deepEqual(sumRevenue([]), []);
});

test('until today is summed, customers are those at the end of yesterday', (t) => {
  const customers = (daysAgo: number, count: number, productId = 'one') =>
    figure('customers', daysAgo, { count, productId });
  const figures = [customers(1, 12), customers(29, 10), customers(1, 4, 'two')];
  const summaries = [...summariseProducts(figures, TODAY).values()];
  t.deepEqual(sumCustomers(summaries), { value: 16, change: 6 });
  const later = summariseProducts([...figures, customers(0, 13)], TODAY);
  t.is(later.get('one')!.customers.value, 13);
});

test('the share of accepted deliveries has those that a retry brought', (t) => {
  const figures = [
    figure('deliveries_accepted', 1, { count: 90 }),
    figure('deliveries_retried', 2, { count: 8 }),
    figure('deliveries_failing', 3, { count: 2 }),
    sale(1, 100, { productId: 'two' }),
  ];
  const summaries = summariseProducts(figures, TODAY);
  t.is(summaries.get('one')!.accepted, 98);
  t.is(summaries.get('two')!.accepted, null);
});
