import test from 'ava';
import { createKnownDays } from '../../../domain/usage/committed-marks-cache.ts';
import { toEvidence } from '../../../domain/usage/evidence-marks.ts';

const at = new Date('2026-11-21T23:59:59.999Z');
const dayOf = (personId: string, isQualifying: boolean, when = at) =>
  toEvidence({
    productId: 'p',
    personId,
    kind: 'activity',
    isByKey: false,
    isQualifying,
    at: when,
  });

test('a row that is there covers what does not raise it, and nothing more', (t) => {
  const known = createKnownDays();
  t.false(known.covers(dayOf('a', false)));
  known.remember(dayOf('a', false));
  t.true(known.covers(dayOf('a', false)));
  t.false(known.covers(dayOf('a', true)), 'it is still to rise');
  known.remember(dayOf('a', true));
  known.remember(dayOf('a', false));
  t.true(known.covers(dayOf('a', true)), 'it does not fall again');
  t.false(known.covers(dayOf('b', false)));
});

test('another day is another row', (t) => {
  const known = createKnownDays();
  known.remember(dayOf('a', true));
  t.false(known.covers(dayOf('a', false, new Date(at.getTime() + 1))));
});

test('it does not grow without end: the oldest are forgotten', (t) => {
  const known = createKnownDays(2);
  for (const person of ['a', 'b', 'c']) known.remember(dayOf(person, true));
  t.false(known.covers(dayOf('a', false)));
  t.true(known.covers(dayOf('b', true)) && known.covers(dayOf('c', true)));
});
