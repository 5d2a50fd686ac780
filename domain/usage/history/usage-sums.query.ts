// Counts the evidence of a product: of a day by its marks, of a month by people.
import type pg from 'pg';
import { rows, type EntityManager } from '../../../platform/database/database.ts';
import { MARK } from '../evidence-marks.ts';
import { MASKS } from '../record-evidence.query.ts';
import { firstDayOf, maskThrough, monthOfDay, placeOf, weeksOf } from './calendar.ts';
import { addPeople, emptyDay, type DayOfUse } from './explain-day.ts';
import { DAY_MS } from '../../shared/instant.ts';

/** SQL: the marks of a day of `usage_month u`, as `Mark` numbers them. */
const marksAt = (place: string) =>
  MASKS.map(({ column, bit }) => `(u.${column} >> ${place} & 1) * ${bit}`).join(' | ');

const SEEN = `(${MASKS.filter(({ bit }) => bit !== MARK.qualifying)
  .map(({ column }) => `u.${column}`)
  .join(' | ')})`;

// A day of a product with millions of rows takes longer than a statement of a request may; an
// activity waits.
const TIMEOUT_MS = 240_000;

/** A month touches six ISO weeks at most. */
const WEEKS = [1, 2, 3, 4, 5, 6].map((week) => `week_${week}`);

/** SQL: in how many weeks a mask of `u` has qualified days. */
const weeksIn = (mask: string) =>
  WEEKS.map((week) => `(u.qualifying_days & ${mask} & given.${week} <> 0)::int`).join(' + ');

// One scan of the product's rows. A row with evidence of the day has its last mark of that day or
// later, which costs less to see than the masks do. A membership counts as it is when the day is
// summed, soon after its end. A Member is new on the first day of the month that qualified while the
// membership ran.
const COUNT_DAY = `
  select marks, member, count(*)::int as people, count(*) filter (where is_new)::int as "newPeople",
    count(*) filter (where is_back)::int as "newReturning"
  from (
    select ${marksAt('given.place')} as marks,
      case when u.qualifying_days >> given.place & 1 = 0 or not given.has_members or not exists (
        select from membership m where m.person_id = u.person_id and m.status <> 'incomplete'
          and m.created_at < given.next and coalesce(m.ended_at, 'infinity') > given.start
      ) then 'no' when u.qualifying_days & given.before <> 0 and exists (
        select from membership m cross join generate_series(1, given.place) ago
        where m.person_id = u.person_id and m.status <> 'incomplete'
          and u.qualifying_days >> given.place - ago & 1 = 1
          and m.created_at < given.next - ago * interval '24 hours'
          and coalesce(m.ended_at, 'infinity') > given.start - ago * interval '24 hours'
      ) then 'known' else 'new' end as member,
      u.qualifying_days >> given.place & 1 = 1
        and u.qualifying_days & given.before = 0 as is_new,
      u.qualifying_days >> given.place & 1 = 1 and ${weeksIn('given.before')} = 1
        and ${weeksIn('given.through')} = 2 as is_back
    from usage_month u
    cross join (select $3::int as place, $4::timestamptz as start, $5::timestamptz as next,
      $6::boolean as has_members, $7::int as before, $8::int as through,
      ${WEEKS.map((week, index) => `$${9 + index}::int as ${week}`).join(', ')}) given
    where u.product_id = $1 and u.month = $2 and u.last_at >= given.start
      and ${SEEN} >> given.place & 1 = 1
  ) day group by marks, member`;

/** People with a qualified day, and those of them with qualified days in two ISO weeks. */
export type PeopleOfMonth = { people: number; returning: number };

/** A day, and what it adds to the people of its month. */
type Counted = { day: DayOfUse; added: PeopleOfMonth & { members: number } };

type OfDay = { productId: string; day: string };

/** The people of a day for a page: without the Members, as each costs a look at an index. */
export async function countDay(em: EntityManager, of: OfDay): Promise<Counted> {
  const values = valuesOf(of, { hasMembers: false });
  return addUp(await rows<OfMarks>(em, COUNT_DAY, values), emptyDay(of.day));
}

/** The people and Members of a day that is over. */
export async function countClosedDay(pool: pg.Pool, of: OfDay): Promise<Counted> {
  const values = valuesOf(of, { hasMembers: true });
  const named = { name: 'count_closed_day', text: COUNT_DAY };
  const statement = { ...named, values, query_timeout: TIMEOUT_MS };
  const { rows: groups } = await pool.query<OfMarks>(statement);
  return addUp(groups, { ...emptyDay(of.day), members: 0 });
}

function valuesOf({ productId, day }: OfDay, { hasMembers }: { hasMembers: boolean }): unknown[] {
  const month = monthOfDay(day);
  const start = new Date(day);
  const next = new Date(start.getTime() + DAY_MS);
  const through = maskThrough(day);
  const before = through & ~(1 << placeOf(day));
  const weeks = WEEKS.map((_, index) => weeksOf(month)[index] ?? 0);
  const given = [placeOf(day), start, next, hasMembers, before, through, ...weeks];
  return [productId, firstDayOf(month), ...given];
}

function addUp(groups: readonly OfMarks[], made: DayOfUse): Counted {
  const added = { people: 0, returning: 0, members: 0 };
  for (const { member, newPeople, newReturning, ...group } of groups) {
    addPeople(made, group);
    if (made.members !== null && member !== 'no') made.members += group.people;
    if (member === 'new') added.members += group.people;
    added.people += newPeople;
    added.returning += newReturning;
  }
  return { day: made, added };
}

type OfMarks = {
  marks: number;
  member: 'no' | 'known' | 'new';
  people: number;
  newPeople: number;
  newReturning: number;
};

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

// One random id for all rows of a person, in all months at once, so that they stay the evidence of
// one. The pool reads a month until some days after its end: the rows stay with their person until
// the last of these months, that of the deletion, is read. From then on nothing tells a review of a
// seal that the person had complimentary access: these days count in it while it looks back on them.
const DETACH = `
  with gone as materialized (
    select p.id, gen_random_uuid() as stranger from person p
    where p.deleted_at > gatehouse_now() - interval '90 days'
      and p.deleted_at < ($1::timestamp + interval '1 month') at time zone 'UTC'
      and exists (select from usage_month u where u.person_id = p.id)
    order by p.deleted_at limit $2),
  detached as (
    update usage_month u set person_id = gone.stranger from gone where u.person_id = gone.id)
  select count(*)::int as people from gone`;

/** Gives the evidence of accounts deleted up to a month to nobody; true when more may wait. */
export async function detachEvidence(
  pool: pg.Pool,
  { through, batch = 1_000 }: { through: string; batch?: number },
): Promise<boolean> {
  const values = [firstDayOf(through), batch];
  const named = { name: 'detach_evidence', text: DETACH };
  const statement = { ...named, values, query_timeout: TIMEOUT_MS };
  const found = await pool.query<{ people: number }>(statement);
  return found.rows[0]!.people === batch;
}
