// Days and weeks as bits of a month's masks; days are `YYYY-MM-DD` and months `YYYY-MM`, in UTC.
import { DAY_MS, toDay } from '../../shared/instant.ts';

export function monthOfDay(day: string): string {
  return day.slice(0, 7);
}

/** The first day of a month, as the rows of the month name it. */
export function firstDayOf(month: string): string {
  return `${month}-01`;
}

export function lastDayOf(month: string): string {
  return toDay(new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)));
}

export function dayAfter(day: string): string {
  return toDay(new Date(Date.parse(day) + DAY_MS));
}

/** Days and months in this form are ordered as texts. */
export function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

/** Every day of a month, the first one first. */
export function daysOf(month: string): string[] {
  const last = Number(lastDayOf(month).slice(8));
  return Array.from(
    { length: last },
    (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`,
  );
}

export function placeOf(day: string): number {
  return Number(day.slice(8)) - 1;
}

/** The mask of all days of the month up to this one. */
export function maskThrough(day: string): number {
  return 2 ** (placeOf(day) + 1) - 1;
}

/** The masks of the ISO weeks of a month; its first and last week may be cut. */
export function weeksOf(month: string): number[] {
  const weeks: number[] = [];
  for (const day of daysOf(month)) {
    const isMonday = new Date(`${day}T00:00:00Z`).getUTCDay() === 1;
    if (isMonday || weeks.length === 0) weeks.push(0);
    weeks[weeks.length - 1]! |= 1 << placeOf(day);
  }
  return weeks;
}
