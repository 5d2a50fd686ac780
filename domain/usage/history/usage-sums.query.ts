// Counts the evidence of a product: of a day by its marks, of a month by people.
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { firstDayOf, maskThrough, monthOfDay, placeOf, weeksOf } from './calendar.ts';
import { addPeople, emptyDay, type DayOfUse } from './explain-day.ts';

/** SQL: the marks of a day of `usage_month u`, as `Mark` numbers them. */
const marksAt = (place: string) =>
  [
    'u.session_days',
    'u.heartbeat_days',
    'u.activity_days',
    'u.profile_read_days',
    'u.key_days',
    'u.qualifying_days',
  ]
    .map((mask, mark) => `((${mask} >> ${place} & 1) << ${mark})`)
    .join(' | ');

const SEEN =
  '(u.session_days | u.heartbeat_days | u.activity_days | u.profile_read_days | u.key_days)';

// A membership counts as it is when the day is summed, soon after its end.
const COUNT_DAY = `
  select marks, count(*)::int as people, count(*) filter (where is_member)::int as members
  from (
    select ${marksAt('given.place')} as marks,
      u.qualifying_days >> given.place & 1 = 1 and exists (
        select from membership m where m.person_id = u.person_id and m.status <> 'incomplete'
          and m.created_at < given.next and coalesce(m.ended_at, 'infinity') > given.start
      ) as is_member
    from usage_month u
    cross join (select ?::int as place, ?::timestamptz as start, ?::timestamptz as next) given
    where u.product_id = ? and u.month = ? and ${SEEN} >> given.place & 1 = 1
  ) day group by marks`;

type OfMarks = { marks: number; people: number };

/** The people of a day that is over, and the Members of those who qualified. */
export async function countDay(
  em: EntityManager,
  { productId, day }: { productId: string; day: string },
): Promise<DayOfUse & { members: number }> {
  const start = new Date(day);
  const next = new Date(start.getTime() + 86_400_000);
  const values = [placeOf(day), start, next, productId, firstDayOf(monthOfDay(day))];
  const made = { ...emptyDay(day), members: 0 };
  for (const group of await rows<OfMarks & { members: number }>(em, COUNT_DAY, values)) {
    addPeople(made, group);
    made.members += group.members;
  }
  return made;
}

const COUNT_DAYS = `
  select to_char(day, 'YYYY-MM-DD') as day, marks, count(*)::int as people
  from (
    select at::date as day, ${marksAt('place')} as marks
    from generate_series(?::timestamp, ?::timestamp, '1 day') at
    cross join lateral (select extract(day from at)::int - 1 as place) calendar
    join usage_month u on u.month = date_trunc('month', at)::date
    where u.product_id = ? and u.month between ? and ? and ${SEEN} >> place & 1 = 1
  ) days group by day, marks`;

/** Both ends are included. */
export type Span = { productId: string; from: string; to: string };

/** The people of days that are not summed yet; days without evidence are left out. */
export async function countDays(
  em: EntityManager,
  { productId, from, to }: Span,
): Promise<DayOfUse[]> {
  const values = [from, to, productId, firstDayOf(monthOfDay(from)), to];
  const days = new Map<string, DayOfUse>();
  for (const group of await rows<OfMarks & { day: string }>(em, COUNT_DAYS, values)) {
    const day = days.get(group.day) ?? emptyDay(group.day);
    addPeople(day, group);
    days.set(group.day, day);
  }
  return [...days.values()];
}

/** A month touches six ISO weeks at most. */
const WEEKS = [1, 2, 3, 4, 5, 6].map((week) => `week_${week}`);

/** SQL: in how many weeks a mask has days. */
const weeksIn = (mask: string) =>
  WEEKS.map((week) => `(u.qualifying_days & ${mask} & given.${week} <> 0)::int`).join(' + ');

const COUNT_PEOPLE = `
  select count(*) filter (where u.qualifying_days & given.before = 0)::int as people,
    count(*) filter (where ${weeksIn('given.through')} > 1 and ${weeksIn('given.before')} < 2)::int
      as returning
  from usage_month u
  cross join (select ?::int as before, ?::int as through,
    ${WEEKS.map((week) => `?::int as ${week}`).join(', ')}) given
  where u.product_id = ? and u.month = ?
    and u.qualifying_days & given.through & ~given.before <> 0`;

/** People with a qualified day, and those of them with qualified days in two ISO weeks. */
export type PeopleOfMonth = { people: number; returning: number };

type Part = { productId: string; month: string; after: string | null; through: string };

/** What the days after `after` add to the people of the month's days before. */
export async function countPeople(
  em: EntityManager,
  { productId, month, after, through }: Part,
): Promise<PeopleOfMonth> {
  const before = after === null ? 0 : maskThrough(after);
  const weeks = WEEKS.map((_, index) => weeksOf(month)[index] ?? 0);
  const values = [before, maskThrough(through), ...weeks, productId, firstDayOf(month)];
  const [found] = await rows<PeopleOfMonth>(em, COUNT_PEOPLE, values);
  return found!;
}

const READ_QUALIFIED = `
  select person_id as "personId", product_id as "productId", qualifying_days as mask
  from usage_month
  where month = ? and (person_id, product_id) > (?, ?) and qualifying_days <> 0
  order by person_id, product_id limit ?`;

/** Qualified days of a person on a product in a month: bit 0 of the mask is the first day. */
export type QualifiedDays = { productId: string; personId: string; mask: number };

const NIL = '00000000-0000-0000-0000-000000000000';

/** Reads the qualified days of a month person by person, in batches: no transaction stays open. */
export async function* readQualifiedDays(
  em: () => EntityManager,
  { month, batch = 5_000 }: { month: string; batch?: number },
): AsyncGenerator<QualifiedDays[]> {
  let after = { personId: NIL, productId: NIL };
  for (;;) {
    const values = [firstDayOf(month), after.personId, after.productId, batch];
    const found = await rows<QualifiedDays>(em(), READ_QUALIFIED, values);
    if (found.length > 0) yield found;
    if (found.length < batch) return;
    after = found.at(-1)!;
  }
}

// One random id for all rows of a person, so that they stay the evidence of one. The pool reads a
// month until some days after its end: the rows stay with their person until then.
const DETACH = `
  with gone as materialized (
    select p.id, gen_random_uuid() as stranger from person p
    where p.deleted_at > gatehouse_now() - interval '90 days' and exists (
      select from usage_month u where u.person_id = p.id and u.month <= ?)
    order by p.deleted_at limit ?),
  detached as (
    update usage_month u set person_id = gone.stranger from gone
    where u.person_id = gone.id and u.month <= ?)
  select count(*)::int as people from gone`;

/** Gives the evidence of deleted accounts to nobody, month by month; true when more may wait. */
export async function detachEvidence(
  em: EntityManager,
  { through, batch = 100 }: { through: string; batch?: number },
): Promise<boolean> {
  const last = firstDayOf(through);
  const [found] = await rows<{ people: number }>(em, DETACH, [last, batch, last]);
  return found!.people === batch;
}
