// Mutants that change nothing that can be seen, each with the reason.
import type { Mutant } from './mutate.ts';

/** Of several with the same words in a file, the first is `nth` 1; without it all are meant. */
type Equivalent = { what: string; nth?: number };
type Reason = { file: string; why: string; mutants: Equivalent[] };

const ACCESS = 'domain/entitlements/effective-access.ts';
const NEVER = 'null is after no instant, and no instant is before null';
const SAME_INSTANT = 'of two equal instants either is the answer';

const REASONS: Reason[] = [
  {
    file: 'workflows/entitlements/entitlement-lifecycle.ts',
    why: 'without an instant ahead none is shown, and a waiting message ends the wait at once',
    mutants: [{ what: 'only left: remainingMs ?? 0' }, { what: '0 becomes more' }],
  },
  {
    file: 'workflows/pool/pool-period.ts',
    why: 'a problem that nobody names is none',
    mutants: [{ what: 'without value: return null;' }],
  },
  {
    file: 'workflows/pool/pool-payout.ts',
    why: 'what is not said is not so',
    mutants: [{ what: 'without: isAttempting: false' }],
  },
  {
    file: 'workflows/signals.ts',
    why: 'a set of nothing is as empty as a set of an empty list',
    mutants: [{ what: 'without: seen: []' }],
  },
  {
    file: 'workflows/webhooks/delivery-cohort.ts',
    why: 'what is not said is not so',
    mutants: [{ what: 'without: isAttempting: false' }],
  },
  {
    file: 'workflows/webhooks/delivery-cohort.ts',
    why: 'without rows nothing is waited for',
    mutants: [{ what: '0 becomes more', nth: 5 }],
  },
  {
    file: 'workflows/webhooks/webhook-delivery.ts',
    why: 'what is not said is not so',
    mutants: [{ what: 'without: isAttempting: false' }],
  },
  {
    file: 'workflows/webhooks/webhook-delivery.ts',
    why: 'until the row is read, which says run and step, an Update is refused',
    mutants: [
      { what: '1 becomes more' },
      { what: 'without: run: 1' },
      { what: '0 becomes more', nth: 1 },
      { what: 'without: step: 0' },
    ],
  },
  {
    file: 'domain/billing/memberships/membership-move.ts',
    why: NEVER,
    mutants: [
      {
        what: "only left: status !== 'ended' || withdrawnAt !== null || endedAt === nu",
        nth: 1,
      },
      { what: 'only right: rest !== null && rest > at' },
      { what: 'only right: endsAt !== null && endsAt > at' },
    ],
  },
  {
    file: 'domain/billing/memberships/membership-move.ts',
    why: SAME_INSTANT,
    mutants: [{ what: 'paid.periodEnd > at becomes >=' }, { what: 'known < at becomes <=' }],
  },
  {
    file: 'domain/billing/purchases/purchase-status.ts',
    why: 'a reading has no other status than those named, and nothing follows from any other',
    mutants: [
      { what: "'open' becomes 'mutant'" },
      { what: "'declined' becomes 'mutant'", nth: 1 },
      { what: 'without value: return null;', nth: 2 },
    ],
  },
  {
    file: 'domain/billing/recurring/next-state.ts',
    why: 'nothing ends before an end that is unknown, null or not',
    mutants: [{ what: 'only left: booked.paid?.periodEnd ?? null' }],
  },
  {
    file: 'domain/billing/recurring/next-check.ts',
    why: 'a reminder is always due before the renewal that it is about',
    mutants: [{ what: 'without item: renewal', nth: 1 }],
  },
  {
    file: 'domain/billing/recurring/processor-snapshot.ts',
    why: 'the same period was answered a line before',
    mutants: [{ what: 'charged < current becomes <=' }],
  },
  {
    file: 'domain/billing/recurring/reported-state.ts',
    why: NEVER,
    mutants: [{ what: 'only right: known.periodEnd !== null && endedAt < known.periodEnd' }],
  },
  {
    file: 'domain/billing/recurring/reported-state.ts',
    why: SAME_INSTANT,
    mutants: [{ what: 'a < b becomes <=' }],
  },
  {
    file: ACCESS,
    why: 'the order of types counts, not how far apart they are, and a membership is no source',
    mutants: [
      { what: '2 becomes more' },
      { what: '3 becomes more' },
      { what: 'without: member: 3' },
    ],
  },
  {
    file: ACCESS,
    why: 'what has ended has an end, null stands for no access, and it is before every end',
    mutants: [{ what: 'only left: effectiveEnd(source)?.getTime() ?? Number.POSITIVE_INFINITY' }],
  },
  {
    file: 'domain/entitlements/memberships/membership-access.ts',
    why: 'what has ended has an end, null stands for no access, and it is before every end',
    mutants: [
      { what: 'only right: access.type === null || access.endsAt === null || access.end' },
      { what: 'access.type === null || access.endsAt === null becomes &&' },
      { what: 'only left: access.type === null || access.endsAt === null' },
      { what: 'only right: access.type === null || access.endsAt === null' },
    ],
  },
  {
    file: ACCESS,
    why: NEVER,
    mutants: [{ what: 'only right: boundary !== null && boundary > at' }],
  },
  {
    file: ACCESS,
    why: SAME_INSTANT,
    mutants: [
      { what: 'b < a becomes <=' },
      { what: 'b > a becomes >=' },
      { what: 'source.endsAt < source.withdrawnAt becomes <=' },
    ],
  },
];

type Found = {
  equivalent: Set<Mutant>;
  /** What the list says of mutants that are no more. */
  stale: string[];
};

export function findEquivalent(file: string, mutants: readonly Mutant[]): Found {
  const equivalent = new Set<Mutant>();
  const stale: string[] = [];
  for (const { what, nth } of REASONS.filter((each) => each.file === file).flatMap(of)) {
    const same = mutants.filter((mutant) => mutant.what === what);
    const meant = nth === undefined ? same : same.slice(nth - 1, nth);
    if (meant.length === 0) stale.push(`${file}: no mutant is "${what}" any more`);
    for (const mutant of meant) equivalent.add(mutant);
  }
  return { equivalent, stale };
}

const of = ({ mutants }: Reason) => mutants;
