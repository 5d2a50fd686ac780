// Three months of evidence before this one, so that the pages about usage have something to show.
import { daysOf, firstDayOf, monthOfDay, placeOf } from '../../domain/usage/history/calendar.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { UsageMonth } from '../../domain/usage/usage-month.entity.ts';
import { now, type EntityManager } from '../../platform/database/database.ts';
import { toDay } from '../../domain/shared/instant.ts';

const MONTHS_BACK = 3;

type Used = {
  productId: string;
  /** The first of the people; the others are nobody: evidence refers to ids alone. */
  knownIds: readonly string[];
  people: number;
};

/** Today is left to be reported. */
export async function createUsage(
  em: EntityManager,
  { productId, knownIds, people: count }: Used,
): Promise<void> {
  if ((await em.count(UsageMonth, { productId })) > 0) return;
  const at = await now(em);
  const today = toDay(at);
  const months = Array.from({ length: MONTHS_BACK + 1 }, (_, index) =>
    monthOfDay(toDay(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - index)))),
  );
  const nobody = Math.max(0, count - knownIds.length);
  const people = [...knownIds, ...Array.from({ length: nobody }, () => newUuid(at.getTime()))];
  const rows = people.flatMap((personId, habit) =>
    months.flatMap((month) => {
      const days = daysOf(month).filter((day) => day < today);
      const row = monthOf(days, habit);
      return row === null ? [] : [{ personId, productId, month: firstDayOf(month), ...row }];
    }),
  );
  if (rows.length > 0) await em.insertMany(UsageMonth, rows);
}

/**
 * Ranges from a person who comes every day to one who came twice; a day gets the same use at every
 * start.
 */
function monthOf(days: readonly string[], habit: number) {
  const masks = {
    sessionDays: 0,
    heartbeatDays: 0,
    activityDays: 0,
    profileReadDays: 0,
    keyDays: 0,
  };
  const seen: string[] = [];
  for (const day of days) {
    const chance = (placeOf(day) * 37 + habit * 53 + Number(day.slice(5, 7)) * 29) % 41;
    const isWeekend = new Date(`${day}T00:00:00Z`).getUTCDay() % 6 === 0;
    if (chance < habit + (isWeekend ? 9 : chance % 4)) continue;
    const bit = 1 << placeOf(day);
    seen.push(day);
    if (chance % 11 === 3) masks.keyDays |= bit;
    else {
      masks.sessionDays |= bit;
      if (chance % 5 === 2) masks.profileReadDays |= bit;
      else if (chance % 7 === 1) masks.heartbeatDays |= bit;
      else if (chance % 7 !== 4) masks.activityDays |= bit;
    }
  }
  if (seen.length === 0) return null;
  return {
    ...masks,
    qualifyingDays: masks.heartbeatDays | masks.activityDays | masks.profileReadDays,
    firstAt: new Date(`${seen[0]!}T08:00:00Z`),
    lastAt: new Date(`${seen.at(-1)!}T18:00:00Z`),
  };
}
