import { expressionBuilder, sql, type Expression } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { kysely, type Tables } from '../kysely.ts';

type Period = { productId: string; personId: string; from: string; to: string };

/** The Qualified Active Days of a person on a product, both ends included. */
export async function listQualifiedActiveDays(
  em: EntityManager,
  { productId, personId, from, to }: Period,
): Promise<string[]> {
  const days = await kysely(em)
    .selectFrom('usageDay')
    .select(({ ref }) => toText(ref('day')).as('day'))
    .where('productId', '=', productId)
    .where('personId', '=', personId)
    .where(({ between }) => between('day', from, to))
    .where('isQualifying', '=', true)
    .orderBy('usageDay.day')
    .execute();
  return days.map(({ day }) => day);
}

/** A product's day in UTC: the number of people and of reports. */
export type UsageOfDay = {
  day: string;
  checkedPeople: number;
  checks: number;
  activePeople: number;
  qualifying: number;
};

// A page must not wait for counting millions: beyond this number it says so.
export const MOST_PEOPLE = 10_000;

/** The newest first, days without use included. */
export async function listUsageOfDays(
  em: EntityManager,
  { productId, days }: { productId: string; days: number },
): Promise<UsageOfDay[]> {
  return kysely(em)
    .selectFrom(lastDays(days))
    .crossJoinLateral(() => countChecks(productId).as('checked'))
    .crossJoinLateral(() => countUse(productId).as('used'))
    .select(({ ref }) => toText(ref('today.day')).as('day'))
    .select(['checked.people as checkedPeople', 'checked.checks'])
    .select(['used.people as activePeople', 'used.qualifying'])
    .orderBy('today.day', 'desc')
    .execute();
}

type Today = { today: { day: string } };

const lastDays = (days: number) =>
  sql<Today['today']>`(
    select (gatehouse_now() at time zone 'UTC')::date - n as day
    from generate_series(0, ${days} - 1) n
  )`.as('today');

function countChecks(productId: string) {
  const { selectFrom } = expressionBuilder<Tables & Today, 'today'>();
  const some = selectFrom('checkCount')
    .select('checkCount.checks')
    .where('checkCount.productId', '=', productId)
    .whereRef('checkCount.day', '=', 'today.day')
    .limit(MOST_PEOPLE);
  return selectFrom(some.as('some')).select(({ fn, lit }) => [
    fn.countAll<number>().as('people'),
    fn.coalesce(fn.sum<number>('some.checks'), lit(0)).as('checks'),
  ]);
}

function countUse(productId: string) {
  const { selectFrom } = expressionBuilder<Tables & Today, 'today'>();
  const some = selectFrom('usageDay')
    .select('usageDay.isQualifying')
    .where('usageDay.productId', '=', productId)
    .whereRef('usageDay.day', '=', 'today.day')
    .limit(MOST_PEOPLE);
  return selectFrom(some.as('some')).select(({ fn }) => [
    fn.countAll<number>().as('people'),
    fn.countAll<number>().filterWhere('some.isQualifying', '=', true).as('qualifying'),
  ]);
}

/** A date as text: the driver would make an instant of the process's time zone of it. */
function toText(day: Expression<string>) {
  const { fn, val } = expressionBuilder<Tables>();
  return fn<string>('to_char', [day, val('YYYY-MM-DD')]);
}
