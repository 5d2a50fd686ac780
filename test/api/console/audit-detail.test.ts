import test from 'ava';
import { describeDetail } from '../../../api/console/audit/audit-detail.ts';

const CASES: [string, Record<string, unknown>, string[]][] = [
  ['a change', { from: 'admin', to: 'viewer' }, ['Change: admin \u2192 viewer']],
  ['a state before', { from: 'draft' }, ['Before: draft']],
  ['a list', { events: ['a.b', 'c.d'] }, ['Events: a.b, c.d']],
  ['an amount of the subject currency', { amount_minor: 400 }, ['Amount: 4.00 USD']],
  ['no amount before', { before_minor: null }, ['Before: -']],
  [
    'an amount with its currency',
    { amountMinor: 400, currency: 'JPY', reason: 'duplicate' },
    ['Amount: 400 JPY', 'Reason: duplicate'],
  ],
  ['a person', { personId: 'x' }, ['Person: ada']],
  ['words', { windowDays: 3, is_first: true }, ['Window days: 3', 'Is first: Yes']],
];

for (const [title, detail, facts] of CASES) {
  test(`the trail says ${title} in words`, (t) => {
    const detailPerson = { id: 'x', handle: 'ada' };
    const found = describeDetail({ detail, detailPerson, subject: 'USD' });
    t.deepEqual(
      found.map(({ name, text }) => `${name}: ${text}`),
      facts,
    );
  });
}
