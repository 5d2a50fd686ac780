// What people did with a product on days and in a month: what is over comes from its sums, the rest
// is counted from the evidence.
import type { EntityManager } from '../../../platform/database/database.ts';
import { dayAfter, daysOf, earlier, firstDayOf, lastDayOf, monthOfDay } from './calendar.ts';
import { emptyDay, type DayOfUse } from './explain-day.ts';
import { UsageClosedDay, UsageDaySum, UsageMonthSum } from './usage-sum.entity.ts';
import { countDay, type PeopleOfMonth } from './usage-sums.query.ts';

/** Both ends are included. */
type Span = { productId: string; from: string; to: string };

/** The days of a span, in their order; days without evidence that are over are left out. */
export async function readDaysOfUse(em: EntityManager, span: Span): Promise<DayOfUse[]> {
  const { days } = await readDays(em, { ...span, summed: await findLastClosedDay(em) });
  return days;
}

export type MonthOfUse = PeopleOfMonth & {
  qualifiedDays: number;
  /** The people with a qualified day that is summed, and the Members among them. */
  summedPeople: number;
  members: number;
  /** The qualified days that are summed, and those of Members among them. */
  summedDays: number;
  memberDays: number;
  /** Every day of the month up to today; none once only the sum of the month is kept. */
  days: DayOfUse[];
};

/** A product's month, `YYYY-MM`, up to today. */
export async function readMonthOfUse(
  em: EntityManager,
  { productId, month, today }: { productId: string; month: string; today: string },
): Promise<MonthOfUse> {
  const from = firstDayOf(month);
  const to = earlier(lastDayOf(month), today);
  // The sum comes second: a day that closes between the two is in it, and not missing from both.
  const closed = await findLastClosedDay(em);
  const sum = await em.findOne(UsageMonthSum, { productId, month: from });
  const summed = later(closed, sum?.through ?? '');
  const { days, added } = await readDays(em, { productId, from, to, summed });
  const summedDays = sum?.qualifiedDays ?? 0;
  const counted = days.filter(({ members }) => members === null);
  const isKept = days.some(({ people }) => people > 0) || summedDays === 0;
  return {
    people: (sum?.people ?? 0) + added.people,
    returning: (sum?.returning ?? 0) + added.returning,
    summedPeople: sum?.people ?? 0,
    members: sum?.members ?? 0,
    qualifiedDays: counted.reduce((total, { reasons }) => total + reasons.qualified, summedDays),
    summedDays,
    memberDays: sum?.memberDays ?? 0,
    days: isKept ? fillDays(days, { month, to, summed }) : [],
  };
}

type Summed = {
  /** The last day that is summed; empty before the first night. */
  summed: string;
};

/** The sums, and each day after them counted: in general today alone. */
async function readDays(em: EntityManager, { summed, ...span }: Span & Summed) {
  const { productId, from, to } = span;
  const days = summed < from ? [] : await readSums(em, { ...span, to: earlier(to, summed) });
  const added = { people: 0, returning: 0 };
  for (let day = summed < from ? from : dayAfter(summed); day <= to; day = dayAfter(day)) {
    const counted = await countDay(em, { productId, day });
    days.push(counted.day);
    added.people += counted.added.people;
    added.returning += counted.added.returning;
  }
  return { days, added };
}

/** A day that is summed and has no evidence had no Members. */
function fillDays(
  found: readonly DayOfUse[],
  { month, to, summed }: { month: string; to: string } & Summed,
): DayOfUse[] {
  const byDay = new Map(found.map((day) => [day.day, day]));
  return daysOf(month)
    .filter((day) => day <= to)
    .map((day) => byDay.get(day) ?? { ...emptyDay(day), members: day <= summed ? 0 : null });
}

async function readSums(em: EntityManager, { productId, from, to }: Span): Promise<DayOfUse[]> {
  const sums = await em.find(UsageDaySum, { productId, day: { $gte: from, $lte: to } });
  return sums.map(({ day, people, members, ...sum }) => ({
    day,
    people,
    members,
    reasons: {
      qualified: sum.qualified,
      own_team: sum.ownTeam,
      session_only: sum.sessionOnly,
      no_person_token: sum.noPersonToken,
    },
    sources: {
      session: sum.sessions,
      heartbeat: sum.heartbeats,
      activity: sum.activities,
      profile_read: sum.profileReads,
      by_key: sum.byKey,
    },
  }));
}

async function findLastClosedDay(em: EntityManager): Promise<string> {
  const finished = { finishedAt: { $ne: null } };
  const [last] = await em.find(UsageClosedDay, finished, { orderBy: { day: 'desc' }, limit: 1 });
  return last?.day ?? '';
}

/** The months of a product that are summed, the newest first. */
export async function listMonthsOfUse(em: EntityManager, productId: string): Promise<string[]> {
  const sums = await em.find(UsageMonthSum, { productId }, { orderBy: { month: 'desc' } });
  return sums.map(({ month }) => monthOfDay(month));
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
