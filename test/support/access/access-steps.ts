import fc from 'fast-check';
import type { RequestedChange } from '../../../domain/billing/recurring/change-request.repository.ts';
import type { DisputeStatus } from '../../../packages/simulator/records/dispute.repository.ts';
import type { CardOutcome } from '../../../packages/simulator/page/cards.ts';
import type { Mishap } from '../money/interference.ts';
import type { Buying } from '../money/people.ts';
import { owning, type Owning } from '../money/steps.ts';

/** `which`: of those there are, counted round. */
export type AccessStep =
  | ({ does: 'buy'; isRecurring: boolean } & Buying)
  | ({ does: 'join' } & Buying)
  | { does: 'pay'; which: number; outcome: CardOutcome }
  | { does: 'expire'; which: number }
  | { does: 'wait'; hours: number }
  | { does: 'hear'; which: number; copies: number }
  | { does: 'drop'; which: number }
  | { does: 'follow'; which: number; mishap: Mishap | null }
  | { does: 'release' }
  | { does: 'crowd'; which: number; beside: number }
  | { does: 'catch_up' }
  | { does: 'request_change'; which: number; change: RequestedChange }
  | { does: 'open' }
  | { does: 'refund'; which: number; amountMinor: number }
  | { does: 'refund_there'; which: number; amountMinor: number }
  | { does: 'dispute'; which: number; status: DisputeStatus }
  | { does: 'grant'; days: number | null }
  | { does: 'withdraw' }
  | { does: 'own'; what: Owning };

const which = fc.nat({ max: 7 });
// Of one sale, of one month of Member, and of parts of either.
const amountMinor = fc.constantFrom(500, 999, 1_900, 1_900);
const isReplacing = fc.boolean();
const isSessionLost = fc.constantFrom(false, false, false, true);
const outcome = fc.constantFrom<CardOutcome[]>(
  'succeeds',
  'succeeds',
  'succeeds',
  'declined',
  'clears_late',
  'fails_late',
  'disputed',
  'refunds_late',
  'refund_fails_late',
  'renewals_recover',
  'renewals_fail',
  'renewals_refused',
);
const status = fc.constantFrom<DisputeStatus[]>('needs_response', 'won', 'lost', 'lost');
const mishap = fc.constantFrom<(Mishap | null)[]>(null, null, 'unheard', 'unanswered', 'late');
const change = fc.constantFrom<RequestedChange[]>('cancel', 'cancel', 'resume');

const does = <Name extends AccessStep['does']>(name: Name) => fc.constant(name);

function often<Fields>(
  weight: number,
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) {
  return { weight, arbitrary: fc.record(fields) };
}

const DAY_HOURS = 24;

const step: fc.Arbitrary<AccessStep> = fc.oneof(
  often(3, { does: does('buy'), isRecurring: fc.boolean(), isReplacing, isSessionLost }),
  often(3, { does: does('join'), isReplacing, isSessionLost }),
  often(5, { does: does('pay'), which, outcome }),
  often(1, { does: does('expire'), which }),
  // A late payment clears in three days, grace lasts eight, a period about thirty.
  often(4, {
    does: does('wait'),
    hours: fc.constantFrom(1, 80, 8 * DAY_HOURS + 1, 31 * DAY_HOURS, 31 * DAY_HOURS),
  }),
  often(4, { does: does('hear'), which, copies: fc.constantFrom(1, 1, 2) }),
  often(1, { does: does('drop'), which }),
  often(5, { does: does('follow'), which, mishap }),
  often(1, { does: does('release') }),
  often(2, { does: does('crowd'), which, beside: which }),
  often(4, { does: does('catch_up') }),
  often(4, { does: does('request_change'), which, change }),
  often(3, { does: does('open') }),
  often(2, { does: does('refund'), which, amountMinor }),
  often(2, { does: does('refund_there'), which, amountMinor }),
  often(3, { does: does('dispute'), which, status }),
  often(1, { does: does('grant'), days: fc.constantFrom(null, 2, 20) }),
  often(1, { does: does('withdraw') }),
  often(1, { does: does('own'), what: owning }),
);

const begins = { isReplacing: false, isSessionLost: false };
const card = fc.constantFrom<CardOutcome[]>(
  'succeeds',
  'clears_late',
  'renewals_recover',
  'renewals_fail',
  'renewals_refused',
);

/** Paid for, and known to be. */
function begun(
  steps: AccessStep[],
  { which = 0, paidBy = card }: { which?: number; paidBy?: fc.Arbitrary<CardOutcome> } = {},
): fc.Arbitrary<AccessStep[]> {
  return paidBy.map((outcome) => [
    ...steps,
    { does: 'pay', which, outcome },
    { does: 'wait', hours: 80 },
    { does: 'catch_up' },
  ]);
}

const JOIN: AccessStep = { does: 'join', ...begins };
const OPEN: AccessStep = { does: 'open' };
const SUBSCRIBE: AccessStep = { does: 'buy', isRecurring: true, ...begins };
const CATCH_UP: AccessStep = { does: 'catch_up' };

const member = begun([JOIN]).map((steps) => [...steps, OPEN]);
const subscribed = (which: number) => begun([SUBSCRIBE], { which });

/** Ended by its money, which comes again: the refund fails in three days, or the bank thinks again. */
const takenBack: fc.Arbitrary<AccessStep[]> = fc
  .constantFrom<[AccessStep, number]>([JOIN, 999], [SUBSCRIBE, 1_900])
  .chain(([first, all]) => {
    const refund: AccessStep = { does: 'refund_there', which: 0, amountMinor: all };
    const lose: AccessStep = { does: 'dispute', which: 0, status: 'lost' };
    const win: AccessStep = { does: 'dispute', which: 0, status: 'won' };
    const back = fc.constantFrom([refund, CATCH_UP], [refund], [lose, CATCH_UP, win], [lose, win]);
    const paid = begun([first], { paidBy: fc.constant('refund_fails_late') });
    return fc.tuple(paid, back).map(([steps, ways]) => [...steps, OPEN, ...ways]);
  });

/** By chance alone few stories would come as far. */
const beginning: fc.Arbitrary<AccessStep[]> = fc.oneof(
  fc.constant<AccessStep[]>([]),
  member,
  subscribed(0),
  fc.tuple(member, subscribed(1)).map((both) => both.flat()),
  takenBack,
);

/** What may happen to one person and one Included product of two offers, in any order. */
export const accessSteps: fc.Arbitrary<AccessStep[]> = fc
  .tuple(beginning, fc.array(step, { minLength: 5, maxLength: 15, size: 'max' }))
  .map((parts) => parts.flat());
