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

/** A line for each day; the Members of a day that is not summed yet are empty. */
export function writeDays(days: readonly DayOfUse[]) {
  return writeCsv([days], {
    day_utc: ({ day }) => day,
    people: ({ people }) => people,
    ...Object.fromEntries(DAY_REASONS.map((name) => [name, (day: DayOfUse) => day.reasons[name]])),
    qualified_members: ({ members }) => members,
    ...Object.fromEntries(
      SOURCES.map((name) => [`people_with_${name}`, (day: DayOfUse) => day.sources[name]]),
    ),
  });
}
