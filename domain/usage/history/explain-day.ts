// Why a day of a person on a product counts or not: by its marks alone, which are all that is kept.
import { MARK, type Mark } from '../evidence-marks.ts';

/** Closed, in the order of the page. A test key writes nothing, so its days have no evidence. */
export const DAY_REASONS = ['qualified', 'own_team', 'session_only', 'no_person_token'] as const;

export type DayReason = (typeof DAY_REASONS)[number];

type Explanation =
  | { isCounted: true; isQualified: boolean; reason: DayReason }
  | { isCounted: false; isQualified: false; reason: 'no_evidence' };

/** The evidence of a day, by kind of a report with the person's token, and by API key. */
export const SOURCES = ['session', 'heartbeat', 'activity', 'profile_read', 'by_key'] as const;

export type Source = (typeof SOURCES)[number];

const PROOF = MARK.heartbeat | MARK.activity | MARK.profile_read;

/** What qualifies with a person's token, and did not, was of a member of the product's own team. */
export function explainDay(marks: number): Explanation {
  if (marks === 0) return { isCounted: false, isQualified: false, reason: 'no_evidence' };
  return { isCounted: true, isQualified: has(marks, 'qualifying'), reason: reasonOf(marks) };
}

function reasonOf(marks: number): DayReason {
  if (has(marks, 'qualifying')) return 'qualified';
  if ((marks & PROOF) !== 0) return 'own_team';
  return has(marks, 'session') ? 'session_only' : 'no_person_token';
}

function has(marks: number, mark: Mark): boolean {
  return (marks & MARK[mark]) !== 0;
}

/** The people of a product's day. */
export type DayOfUse = {
  day: string;
  people: number;
  /** The Members among the people who qualified; null until the day is summed in the night. */
  members: number | null;
  reasons: Record<DayReason, number>;
  sources: Record<Source, number>;
};

export function emptyDay(day: string): DayOfUse {
  return { day, people: 0, members: null, reasons: zeros(DAY_REASONS), sources: zeros(SOURCES) };
}

/** Adds people of the same marks to their day. */
export function addPeople(day: DayOfUse, { marks, people }: { marks: number; people: number }) {
  const { isCounted, reason } = explainDay(marks);
  if (!isCounted) return;
  day.people += people;
  day.reasons[reason] += people;
  for (const source of SOURCES) if (has(marks, source)) day.sources[source] += people;
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
