// The figures of all products together, by day.
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely } from '../kysely.ts';
import { toDay } from '../shared/instant.ts';
import { ALL_PRODUCTS, NO_CURRENCY } from './figure-kind.ts';
import {
  addDays,
  composeOverview,
  findLastDay,
  firstDayOf,
  type Overview,
  type OverviewDays,
} from './overview.ts';

export type PlatformFigures = Overview & {
  /** Is null where nothing was sold in these days. */
  currency: string | null;
  /** The currencies of these days' sales, the one with most sales first. */
  currencies: string[];
};

type Query = { days: OverviewDays; currency: string | null; now: Date };

/** The figures as they were summed last, in the given currency or that of most sales. */
export async function loadPlatformFigures(
  em: EntityManager,
  { days, currency: wanted, now }: Query,
): Promise<PlatformFigures> {
  const today = toDay(now);
  // A day more: until today is summed, the days end with yesterday.
  const stored = await kysely(em)
    .selectFrom('productFigure')
    .select(['kind', 'currency', 'count', 'sumMinor'])
    .select(({ cast }) => cast<string>('day', 'text').as('day'))
    .where('productId', '=', ALL_PRODUCTS)
    .where('day', '>=', firstDayOf({ today: addDays(today, -1), days }))
    .execute();
  const span = { today: findLastDay(stored, today), days };
  const first = firstDayOf(span);
  const figures = stored.filter(({ day }) => day >= first);
  const sales = new Map<string, number>();
  for (const { kind, currency, count } of figures) {
    if (kind === 'sales') sales.set(currency, (sales.get(currency) ?? 0) + count);
  }
  const currencies = [...sales].toSorted(([, one], [, other]) => other - one).map(([code]) => code);
  const currency = currencies.find((code) => code === wanted) ?? currencies[0] ?? null;
  const shown = figures.filter((each) => [currency, NO_CURRENCY].includes(each.currency));
  const overview = composeOverview(shown, span);
  const marked = overview.days.map((day) => ({ ...day, isToday: day.day === today }));
  return { ...overview, days: marked, currency, currencies };
}
