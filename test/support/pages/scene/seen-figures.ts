import type { TestApi } from '../../http/api.ts';

/** Half a year of figures of one product, in two currencies, and of another one in a single one. */
export async function addFigures(
  { test }: Pick<TestApi, 'test'>,
  { productId, otherId }: { productId: string; otherId: string },
) {
  const day = `(gatehouse_now() at time zone 'UTC')::date - n`;
  const wave = `(1 + 0.4 * sin(n) + (180 - n) / 200.0)`;
  const kinds: [kind: string, currency: string, count: string, sumMinor: string][] = [
    ['sales', 'USD', '6 + n % 5', `10000 * ${wave}`],
    ['refunds', 'USD', 'n % 2', '1250 * (n % 2)'],
    ['sales', 'EUR', '1', `1150 * (n % 3)`],
    ['customers', 'XXX', '1400 - 2 * n', '0'],
    ['checks_open', 'XXX', `5000 * ${wave}`, '0'],
    ['checks_locked', 'XXX', `500 * ${wave}`, '0'],
    ['deliveries_accepted', 'XXX', `120 * ${wave}`, '0'],
    ['deliveries_retried', 'XXX', '7 * (n % 4)', '0'],
    ['deliveries_failing', 'XXX', `case when n % 9 = 4 then 6 else 0 end`, '0'],
  ];
  for (const [kind, currency, count, sumMinor] of kinds) {
    await test.query(
      `insert into product_figure (product_id, day, kind, currency, count, sum_minor)
       select product_id, ${day}, $3::text, $4::text, round(${count}), round(${sumMinor})
       from generate_series(1, 180) n, unnest($1::uuid[]) product_id
       where $4::text <> 'EUR' or product_id = $2`,
      [[productId, otherId], productId, kind, currency],
    );
  }
}
