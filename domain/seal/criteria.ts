// The criteria of the quality seal. Every comparison is one of whole numbers.
import {
  fewestWithLowerBound,
  isLowerBoundAbove,
  isLowerBoundAtLeast,
  mostWithinLowerBound,
  type Proportion,
} from './wilson.ts';

/** The days before a review that it looks at. */
export const SEAL_DAYS = 90;

export const TARGETS = {
  people: 25,
  returningPercent: 40,
  refundPercent: 5,
  chargebacksPerThousand: 7,
  freeChargebacks: 1,
  personPercent: 10,
  fivePeoplePercent: 30,
  listedDays: 60,
  integrationPercent: 99,
  /** Fewer are not judged. */
  fewestJudged: 100,
} as const;

export const CRITERIA = [
  'people',
  'returning_people',
  'refunds',
  'chargebacks',
  'largest_person',
  'five_people',
  'listed_days',
  'webhooks',
  'sign_ins',
] as const;

export type CriterionName = (typeof CRITERIA)[number];

/** What is known of a product in the days before a review. */
export type SealFigures = {
  /** People with a qualified day, and those with one in at least two ISO weeks. */
  people: number;
  returningPeople: number;
  /** Qualified days of all people, of the person with the most, and of the five with the most. */
  days: number;
  daysOfLargest: number;
  daysOfFive: number;
  charges: number;
  refundedCharges: number;
  lostChargebacks: number;
  /** Whole days since the product was first listed. */
  listedDays: number;
  firstAttempts: number;
  firstSuccesses: number;
  callbacks: number;
  tokens: number;
};

export type Criterion = {
  name: CriterionName;
  /** Too few to say anything: it does not keep the seal away. */
  result: 'passed' | 'failed' | 'not_judged';
  count: number;
  /** What the count is a part of. */
  of: number | null;
  /** How many are missing, or too many; null where no number of this size would do. */
  missing: number | null;
};

type Judged = Omit<Criterion, 'name'>;

const JUDGES: Record<CriterionName, (figures: SealFigures) => Judged> = {
  people: ({ people }) => atLeast(people, TARGETS.people),
  returning_people: ({ returningPeople: count, people: of }) => judgeReturning({ count, of }),
  refunds: ({ refundedCharges: count, charges: of }) => judgeRefunds({ count, of }),
  chargebacks: ({ lostChargebacks, charges }) => judgeChargebacks(lostChargebacks, charges),
  largest_person: ({ daysOfLargest: count, days: of }) =>
    judgeConcentration({ count, of }, TARGETS.personPercent),
  five_people: ({ daysOfFive: count, days: of }) =>
    judgeConcentration({ count, of }, TARGETS.fivePeoplePercent),
  listed_days: ({ listedDays }) => atLeast(listedDays, TARGETS.listedDays),
  webhooks: ({ firstSuccesses: count, firstAttempts: of }) => judgeIntegration({ count, of }),
  sign_ins: ({ tokens, callbacks: of }) => judgeIntegration({ count: Math.min(tokens, of), of }),
};

/** Each criterion with its value, and what is missing. */
export function judgeSeal(figures: SealFigures): Criterion[] {
  return CRITERIA.map((name) => ({ name, ...JUDGES[name](figures) }));
}

/** True when nothing keeps the seal away. */
export function isPassed(criteria: readonly Criterion[]): boolean {
  return criteria.every(({ result }) => result !== 'failed');
}

function judged(isMet: boolean, value: Omit<Judged, 'result'>): Judged {
  return { result: isMet ? 'passed' : 'failed', ...value, missing: isMet ? 0 : value.missing };
}

function atLeast(count: number, target: number): Judged {
  return judged(count >= target, { count, of: null, missing: target - count });
}

const RETURNING = { numerator: TARGETS.returningPercent, denominator: 100 };

function judgeReturning(proportion: Proportion): Judged {
  const needed = fewestWithLowerBound(proportion.of, RETURNING);
  const missing = needed === null ? null : needed - proportion.count;
  return judged(isLowerBoundAtLeast(proportion, RETURNING), { ...proportion, missing });
}

const REFUNDED = { numerator: TARGETS.refundPercent, denominator: 100 };

function judgeRefunds(proportion: Proportion): Judged {
  const missing = proportion.count - mostWithinLowerBound(proportion.of, REFUNDED);
  return judged(!isLowerBoundAbove(proportion, REFUNDED), { ...proportion, missing });
}

function judgeChargebacks(count: number, of: number): Judged {
  const share = Math.floor((of * TARGETS.chargebacksPerThousand) / 1_000);
  const allowed = Math.max(TARGETS.freeChargebacks, share);
  return judged(count <= allowed, { count, of, missing: count - allowed });
}

/** What is missing are days of other people. */
function judgeConcentration({ count, of }: Proportion, percent: number): Judged {
  if (of === 0) return { result: 'not_judged', count, of, missing: null };
  const missing = Math.ceil((count * 100) / percent) - of;
  return judged(count * 100 <= of * percent, { count, of, missing });
}

function judgeIntegration({ count, of }: Proportion): Judged {
  if (of < TARGETS.fewestJudged) return { result: 'not_judged', count, of, missing: null };
  const needed = Math.ceil((of * TARGETS.integrationPercent) / 100);
  return judged(count >= needed, { count, of, missing: needed - count });
}
