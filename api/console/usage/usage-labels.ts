import {
  DAY_REASONS,
  SOURCES,
  type DayOfUse,
  type DayReason,
  type Source,
} from '../../../domain/usage/history/explain-day.ts';
import { writeCsv } from '../../http/csv.ts';
import { productPath } from '../console-frame.ts';

export function usagePath(slug: string): string {
  return `${productPath(slug)}/usage`;
}

export const REASON_WORDS: Record<DayReason, string> = {
  qualified: 'Qualified',
  own_team: 'Own team',
  session_only: 'Session only',
  no_person_token: 'API key only',
};

export const SOURCE_WORDS: Record<Source, string> = {
  session: 'Session',
  heartbeat: 'Heartbeat',
  activity: 'Activity',
  profile_read: 'Profile read',
  by_key: 'API key',
};

const COLUMNS = [
  'day_utc',
  'people',
  ...DAY_REASONS,
  'qualified_members',
  ...SOURCES.map((source) => `people_with_${source}`),
];

/** A line for each day; the Members of a day that is not summed yet are empty. */
export function writeDays(days: readonly DayOfUse[]): AsyncGenerator<string> {
  return writeCsv([days], {
    head: COLUMNS,
    line: ({ day, people, members, reasons, sources }) => [
      day,
      people,
      ...DAY_REASONS.map((reason) => reasons[reason]),
      members,
      ...SOURCES.map((source) => sources[source]),
    ],
  });
}
