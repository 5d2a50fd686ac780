import fc from 'fast-check';
import type { DisputeStatus } from '../../../packages/simulator/records/dispute.repository.ts';
import type { CardOutcome } from '../../../packages/simulator/page/cards.ts';
import type { Mishap } from './interference.ts';

/** `which`: of those there are, counted round. */
export type Step =
  | { does: 'buy'; isReplacing: boolean; isSessionLost: boolean }
  | { does: 'pay'; which: number; outcome: CardOutcome }
  | { does: 'expire'; which: number }
  | { does: 'wait'; hours: number }
  | { does: 'hear'; which: number; copies: number }
  | { does: 'follow'; which: number; mishap: Mishap | null }
  | { does: 'release' }
  | { does: 'crowd'; which: number }
  | { does: 'refund'; which: number; amountMinor: number }
  | { does: 'refund_there'; which: number; amountMinor: number }
  | { does: 'dispute'; which: number; status: DisputeStatus }
  | { does: 'grant' }
  | { does: 'withdraw' }
  | { does: 'own'; what: Owning };

/** What happens to the account, the product or its owner. */
export type Owning = 'leave' | 'remove' | 'unlist' | 'list' | 'hand_over';

const which = fc.nat({ max: 5 });
const amountMinor = fc.constantFrom(1, 500, 950, 1_900, 2_500);
const outcome = fc.constantFrom<CardOutcome[]>(
  'succeeds',
  'succeeds',
  'declined',
  'clears_late',
  'fails_late',
  'disputed',
  'inquired',
  'refunds_late',
  'refund_fails_late',
);
const status = fc.constantFrom<DisputeStatus[]>(
  'warning_needs_response',
  'needs_response',
  'won',
  'lost',
  'lost',
);
const mishap = fc.constantFrom<(Mishap | null)[]>(null, null, 'unheard', 'unanswered', 'late');

export const owning = fc.constantFrom<Owning[]>('leave', 'remove', 'unlist', 'list', 'hand_over');

function often<Fields>(
  weight: number,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) {
  return { weight, arbitrary: fc.record(fields) };
}

const does = <Name extends Step['does']>(name: Name) => fc.constant(name);

const step: fc.Arbitrary<Step> = fc.oneof(
  often(3, {
    does: does('buy'),
    isReplacing: fc.boolean(),
    isSessionLost: fc.constantFrom(false, false, false, true),
  }),
  often(4, { does: does('pay'), which, outcome }),
  often(1, { does: does('expire'), which }),
  often(2, { does: does('wait'), hours: fc.constantFrom(1, 25, 80) }),
  often(5, { does: does('hear'), which, copies: fc.constantFrom(1, 1, 2) }),
  often(6, { does: does('follow'), which, mishap }),
  often(1, { does: does('release') }),
  often(2, { does: does('crowd'), which }),
  often(3, { does: does('refund'), which, amountMinor }),
  often(1, { does: does('refund_there'), which, amountMinor }),
  often(3, { does: does('dispute'), which, status }),
  often(1, { does: does('grant') }),
  often(1, { does: does('withdraw') }),
  often(1, { does: does('own'), what: owning }),
);

const BEGINNING: Step[] = [{ does: 'buy', isReplacing: false, isSessionLost: false }];

/** What may happen to one person and one product, in any order. */
export const steps: fc.Arbitrary<Step[]> = fc
  .array(step, { minLength: 6, maxLength: 22, size: 'max' })
  .map((following) => [...BEGINNING, ...following]);
