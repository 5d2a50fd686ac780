import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createReportedTokens } from '../../../domain/usage/reported-tokens.ts';

const at = new Date('2026-11-21T23:59:59.999Z');
const hash = randomBytes(32);

test("a token's row covers what does not raise it, and nothing more", (t) => {
  const reported = createReportedTokens();
  t.false(reported.covers({ hash, at, isQualifying: false }));
  reported.remember({ hash, at, isQualifying: false });
  t.true(reported.covers({ hash, at, isQualifying: false }));
  t.false(reported.covers({ hash, at, isQualifying: true }), 'it is still to rise');
  reported.remember({ hash, at, isQualifying: true });
  reported.remember({ hash, at, isQualifying: false });
  t.true(reported.covers({ hash, at, isQualifying: true }), 'it does not fall again');
});

test('another day is another row', (t) => {
  const reported = createReportedTokens();
  reported.remember({ hash, at, isQualifying: true });
  const next = new Date(at.getTime() + 1);
  t.false(reported.covers({ hash, at: next, isQualifying: false }));
  reported.remember({ hash, at: next, isQualifying: false });
  t.false(reported.covers({ hash, at: next, isQualifying: true }), 'the day before does not count');
});

test('tokens that share a slot are told apart: the later one has it', (t) => {
  const reported = createReportedTokens(1);
  for (const byte of hash.keys()) {
    if (byte >= 12) break; // further ones find the slot
    const other = Buffer.from(hash);
    other[byte]! ^= 1;
    reported.remember({ hash, at, isQualifying: true });
    t.false(reported.covers({ hash: other, at, isQualifying: false }));
    reported.remember({ hash: other, at, isQualifying: false });
    t.true(reported.covers({ hash: other, at, isQualifying: false }));
    t.false(reported.covers({ hash: other, at, isQualifying: true }), 'it inherits nothing');
    t.false(reported.covers({ hash, at, isQualifying: false }));
  }
});
