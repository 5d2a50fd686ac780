// A database of its own, whose figures are summed and read.
import test from 'ava';
import {
  loadProductFigures,
  sumProductFigures,
} from '../../../domain/product-figures/product-figures.query.ts';
import { DAY_MS } from '../../../domain/shared/instant.ts';
import { now } from '../../../platform/database/database.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const opened = await openTestDatabase();
test.after.always(opened.close);
export const { testDatabase, database } = opened;

export const { query } = testDatabase;

export const sum = () => sumProductFigures(database.pool);

type Row = { day: string; kind: string; currency: string; count: string; sum_minor: string };

/** The stored figures of a product, as `kind currency`: day -> count and sum. */
export async function stored(productId: string) {
  const found = await query<Row>(
    `select day::text, kind, currency, count, sum_minor from product_figure
     where product_id = $1 and (count, sum_minor) <> (0, 0) order by kind, currency, day`,
    [productId],
  );
  return found.map(
    ({ day, kind, currency, count, sum_minor }) =>
      `${day} ${kind} ${currency} ${count} ${sum_minor}`,
  );
}

export const load = async (productId: string, { currency = 'USD', days = 7 as 7 | 28 | 90 } = {}) =>
  loadProductFigures(database.em(), {
    productId,
    days,
    currency,
    now: await now(database.em()),
  });

/** Moves the clock to an hour of a coming day. */
export async function goTo(
  hour: number,
  isThen: (at: Date) => boolean = () => true,
): Promise<Date> {
  const from = await now(database.em());
  const today = new Date(from).setUTCHours(hour, 0, 0, 0);
  const ahead = Array.from({ length: 32 }, (_, days) => new Date(today + days * DAY_MS));
  const next = ahead.find((at) => at > from && isThen(at))!;
  await testDatabase.advance(next.getTime() - from.getTime());
  return next;
}
