import test from 'ava';
import { decideLineState, type LineState } from '../../../domain/pool/payout-lines/line-state.ts';

const NONE = { isApproved: true, hasHold: false, isConfirmed: false };

const CASES: [string, Parameters<typeof decideLineState>[0], LineState][] = [
  [
    'before the approval nothing is told',
    { ...NONE, isApproved: false, status: 'payable' },
    'in_review',
  ],
  ['nor of a hold', { ...NONE, isApproved: false, status: 'held', hasHold: true }, 'in_review'],
  ['a hold of the product', { ...NONE, status: 'held', hasHold: true }, 'under_review'],
  [
    'a hold of a product whose owner is confirmed',
    { ...NONE, status: 'held', hasHold: true, isConfirmed: true },
    'under_review',
  ],
  ['a first payout', { ...NONE, status: 'held' }, 'unconfirmed'],
  ['a hold that is over', { ...NONE, status: 'held', isConfirmed: true }, 'released'],
  ['a later hold of a paid line', { ...NONE, status: 'paid', hasHold: true }, 'paid'],
  ['a line below the minimum', { ...NONE, status: 'below_minimum' }, 'below_minimum'],
];

for (const [name, facts, state] of CASES) {
  test(`${name}: ${state}`, (t) => t.is(decideLineState(facts), state));
}
