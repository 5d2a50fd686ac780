// The overview of a product: the figures of some days up to today, beside those of as many before.
import { DAY_MS, toDay } from '../shared/instant.ts';
import type { FigureKind } from './figure-kind.ts';

export type OverviewDays = 7 | 28 | 90;

/** A figure as it is stored; money in minor units. */
export type Figure = { day: string; kind: FigureKind; count: number; sumMinor: number };

export type DayOfFigures = {
  day: string;
  /** Sales less refunds, in minor units; negative when more went back. */
  revenueMinor: number;
  customers: number;
  open: number;
  locked: number;
  accepted: number;
  retried: number;
  failing: number;
};

type DayOfOverview = DayOfFigures & {
  /** The revenue of the same day of the days before. */
  revenueBeforeMinor: number;
  /** Today is not over. */
  isToday: boolean;
};

/** A value of the days beside that of the days before; the series is the days' own. */
type Strip<Value = number> = {
  value: Value;
  before: Value;
  /** Is null where nothing can be compared. */
  change: number | null;
  series: number[];
};

type WeekOfOverview = {
  from: string;
  to: string;
  revenueMinor: number;
  /** The change in percent, against the same days of the days before. */
  change: number | null;
};

export type Overview = {
  from: string;
  to: string;
  strips: {
    /** Its change is in percent. */
    revenue: Strip;
    /** People now, and how many more than before these days. */
    customers: Strip;
    /** Its change is in percent. */
    checks: Strip;
    /** The percentage of first attempts that were accepted then or later; changes in points. */
    deliveries: Strip<number | null>;
  };
  days: DayOfOverview[];
  weeks: WeekOfOverview[];
  total: Omit<WeekOfOverview, 'from' | 'to'>;
};

type Span = { today: string; days: number };

/** The first day of the days before: nothing earlier is compared. */
export function firstDayOf({ today, days }: Span): string {
  return addDays(today, 1 - 2 * days);
}

/** Today, or yesterday until today is summed for the first time. */
export function findLastDay(figures: readonly Pick<Figure, 'day'>[], today: string): string {
  return figures.some(({ day }) => day === today) ? today : addDays(today, -1);
}

/** Composes the overview from the figures of both spans, of one currency and in any order. */
export function composeOverview(figures: readonly Figure[], span: Span): Overview {
  const all = fillDays(figures, span);
  const before = all.slice(0, span.days);
  const days = all.slice(span.days).map((day, index) => ({
    ...day,
    revenueBeforeMinor: before[index]!.revenueMinor,
    isToday: day.day === span.today,
  }));
  const revenue = compare(before, days, revenueOf);
  return {
    from: days[0]!.day,
    to: span.today,
    strips: {
      revenue,
      customers: compareCustomers(before, days),
      checks: compare(before, days, (day) => day.open + day.locked),
      deliveries: compareDeliveries(before, days),
    },
    days,
    weeks: toWeeks(days),
    total: { revenueMinor: revenue.value, change: revenue.change },
  };
}

/** One entry for each day of both spans, the oldest first: a day without figures has zeros. */
export function fillDays(figures: readonly Figure[], span: Span): DayOfFigures[] {
  const first = firstDayOf(span);
  const byDay = Map.groupBy(figures, ({ day }) => day);
  return Array.from({ length: 2 * span.days }, (_, index) => {
    const day = addDays(first, index);
    return toDayOfFigures(day, byDay.get(day) ?? []);
  });
}

function toDayOfFigures(day: string, figures: readonly Figure[]): DayOfFigures {
  const read = (kind: FigureKind) => figures.find((figure) => figure.kind === kind);
  const count = (kind: FigureKind) => read(kind)?.count ?? 0;
  return {
    day,
    revenueMinor: (read('sales')?.sumMinor ?? 0) - (read('refunds')?.sumMinor ?? 0),
    customers: count('customers'),
    open: count('checks_open'),
    locked: count('checks_locked'),
    accepted: count('deliveries_accepted'),
    retried: count('deliveries_retried'),
    failing: count('deliveries_failing'),
  };
}

const WEEK = 7;

/** Weeks of seven days that end with the last day; the first one has the days that are left. */
function toWeeks(days: readonly DayOfOverview[]): WeekOfOverview[] {
  const weeks: WeekOfOverview[] = [];
  for (let end = days.length; end > 0; end -= WEEK) {
    const week = days.slice(Math.max(0, end - WEEK), end);
    const revenueMinor = sum(week, revenueOf);
    const change = changeInPercent(
      sum(week, (day) => day.revenueBeforeMinor),
      revenueMinor,
    );
    weeks.unshift({ from: week[0]!.day, to: week.at(-1)!.day, revenueMinor, change });
  }
  return weeks;
}

/** Rounds to a tenth; null where there was nothing before, or more went back than came. */
export function changeInPercent(before: number, value: number): number | null {
  if (value === before) return 0;
  return before > 0 ? toTenth((100 * (value - before)) / before) : null;
}

/** Rounded down to a tenth, so that only all is 100; null of nothing. */
export function shareInPercent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((1_000 * part) / whole) / 10;
}

type Read<Day> = (day: Day) => number;

function compare(
  before: readonly DayOfFigures[],
  days: readonly DayOfFigures[],
  read: Read<DayOfFigures>,
): Strip {
  const sums = { before: sum(before, read), value: sum(days, read) };
  return { ...sums, change: changeInPercent(sums.before, sums.value), series: days.map(read) };
}

function compareCustomers(before: readonly DayOfFigures[], days: readonly DayOfFigures[]): Strip {
  const series = days.map(({ customers }) => customers);
  const counts = { before: before.at(-1)!.customers, value: series.at(-1)! };
  return { ...counts, change: counts.value - counts.before, series };
}

function compareDeliveries(
  before: readonly DayOfFigures[],
  days: readonly DayOfFigures[],
): Strip<number | null> {
  const accepted = (day: DayOfFigures) => day.accepted + day.retried;
  const share = (some: readonly DayOfFigures[]) =>
    shareInPercent(
      sum(some, accepted),
      sum(some, (day) => accepted(day) + day.failing),
    );
  const [earlier, value] = [share(before), share(days)];
  const change = earlier === null || value === null ? null : toTenth(value - earlier);
  return { value, before: earlier, change, series: days.map(accepted) };
}

const revenueOf = ({ revenueMinor }: DayOfFigures) => revenueMinor;

function sum<Day>(days: readonly Day[], read: Read<Day>): number {
  return days.reduce((total, day) => total + read(day), 0);
}

function toTenth(value: number): number {
  return Math.round(value * 10) / 10 || 0; // never -0
}

export function addDays(day: string, days: number): string {
  return toDay(new Date(Date.parse(day) + days * DAY_MS));
}
