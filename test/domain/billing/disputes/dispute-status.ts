import test from 'ava';
import {
  decideDispute,
  DISPUTE_STATUSES,
  isDisputeOpen,
  type DisputeStatus,
} from '../../../../domain/billing/disputes/dispute-status.ts';

/** From each, what it may become; a warning may have been passed over unseen. */
const ARROWS: Record<DisputeStatus, DisputeStatus[]> = {
  warning: ['open', 'won', 'lost', 'closed'],
  open: ['won', 'lost'],
  won: ['lost'],
  lost: ['won'],
  closed: [],
};

for (const [from, allowed] of Object.entries(ARROWS) as [DisputeStatus, DisputeStatus[]][]) {
  test(`a dispute that is ${from} becomes ${allowed.join(', ') || 'nothing else'}`, (t) => {
    const reached = DISPUTE_STATUSES.filter((to) => decideDispute(from, to) !== null);
    t.deepEqual(reached, allowed);
  });
}

test('a dispute is first seen in any status', (t) => {
  for (const status of DISPUTE_STATUSES) t.is(decideDispute(null, status), status);
});

test('until the bank has decided it is open, and a warning is no decision', (t) => {
  t.deepEqual(DISPUTE_STATUSES.filter(isDisputeOpen), ['warning', 'open']);
});
