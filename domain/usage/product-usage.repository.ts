import { rows, type EntityManager } from '../../platform/database/database.ts';

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
  return rows(
    em,
    `select to_char(today.day, 'YYYY-MM-DD') as day, c.people as "checkedPeople", c.checks,
       u.people as "activePeople", u.qualifying
     from (select (gatehouse_now() at time zone 'UTC')::date - n as day
       from generate_series(0, ? - 1) n) today
     cross join lateral (
       select count(*)::int as people, coalesce(sum(checks), 0)::int as checks from (
         select checks from check_count where product_id = ? and day = today.day
         limit ${MOST_PEOPLE}) some_of_them
     ) c
     cross join lateral (
       select count(*)::int as people, count(*) filter (where is_qualifying)::int as qualifying from (
         select is_qualifying from usage_day where product_id = ? and day = today.day
         limit ${MOST_PEOPLE}) some_of_them
     ) u
     order by today.day desc`,
    [days, productId, productId],
  );
}
