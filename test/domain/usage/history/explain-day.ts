import test from 'ava';
import {
  addPeople,
  emptyDay,
  explainDay,
  type DayReason,
} from '../../../../domain/usage/history/explain-day.ts';
import { decideByToken, type EvidenceKind } from '../../../../domain/usage/decide-usage.ts';
import { MARK, marksOf, type Mark } from '../../../../domain/usage/evidence-marks.ts';

type Row = [title: string, marks: Mark[], reason: DayReason | 'no_evidence'];

const rows: Row[] = [
  ['no report is no evidence; a test key writes none', [], 'no_evidence'],
  ["an activity with the person's token qualifies", ['activity', 'qualifying'], 'qualified'],
  ['so does a heartbeat', ['heartbeat', 'qualifying'], 'qualified'],
  ['so does a profile read', ['profile_read', 'qualifying'], 'qualified'],
  [
    'what else was seen takes nothing away',
    ['session', 'activity', 'by_key', 'qualifying'],
    'qualified',
  ],
  ['a session alone never qualifies', ['session'], 'session_only'],
  ['nor with reports by key', ['session', 'by_key'], 'session_only'],
  ['an activity that did not qualify was of the own team', ['activity'], 'own_team'],
  ['so was a heartbeat', ['session', 'heartbeat'], 'own_team'],
  ['so was a profile read', ['profile_read', 'by_key'], 'own_team'],
  ['reports by key alone are no evidence by person token', ['by_key'], 'no_person_token'],
];

for (const [title, marks, reason] of rows) {
  test(title, (t) => {
    const mask = marks.reduce((sum, mark) => sum | MARK[mark], 0);
    t.like(explainDay(mask), {
      reason,
      isCounted: reason !== 'no_evidence',
      isQualified: reason === 'qualified',
    });
  });
}

test('the explanation agrees with the decision about each report', (t) => {
  const kinds: EvidenceKind[] = ['session', 'heartbeat', 'activity', 'profile_read'];
  for (const kind of kinds) {
    for (const isOwnTeam of [false, true]) {
      const { counted, qualifying } = decideByToken(kind, isOwnTeam);
      const found = explainDay(marksOf({ kind, isByKey: false, isQualifying: qualifying }));
      t.like(found, { isCounted: counted, isQualified: qualifying }, `${kind} ${isOwnTeam}`);
    }
    t.like(explainDay(marksOf({ kind, isByKey: true, isQualifying: false })), {
      isQualified: false,
      reason: 'no_person_token',
    });
  }
});

test('people of the same marks are added to their day, once by reason, and by each kind seen', (t) => {
  const day = emptyDay('2026-11-01');
  addPeople(day, { marks: MARK.session | MARK.activity | MARK.qualifying, people: 3 });
  addPeople(day, { marks: MARK.session, people: 2 });
  addPeople(day, { marks: 0, people: 9 });
  t.deepEqual(day, {
    day: '2026-11-01',
    people: 5,
    members: null,
    reasons: { qualified: 3, own_team: 0, session_only: 2, no_person_token: 0 },
    sources: { session: 5, heartbeat: 0, activity: 3, profile_read: 0, by_key: 0 },
  });
});
