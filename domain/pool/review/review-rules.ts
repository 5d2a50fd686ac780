// What puts a product on the operators' review list. The rules are published: each is a share of the
// product's counting days of a month, beside the threshold.
import { countDays, daysTouched, type DayMask } from '../split/counting-days.ts';
import { DAY_MS } from '../../shared/instant.ts';

/** An account is young until this age. */
export const YOUNG_DAYS = 7;
/** A sign-in address of the last 90 days is shared from one account more. */
export const SHARED_BY = 20;
/** Times of day are regular from so many days on, within so many seconds. */
export const REGULAR_FROM_DAYS = 5;
export const REGULAR_WITHIN_S = 60;
/** The fewest Members whose share says something and puts money at stake. */
export const FEWEST_MEMBERS = 10;

/** Basis points of the product's days; above them the product is on the list. */
export const REVIEW_THRESHOLDS = {
  single_product: 8_000,
  young_accounts: 2_500,
  shared_addresses: 2_500,
  regular_times: 5_000,
} as const;

export type ReviewRule = keyof typeof REVIEW_THRESHOLDS;

const RULES = Object.keys(REVIEW_THRESHOLDS) as ReviewRule[];

export type ReviewFigure = {
  rule: ReviewRule;
  figureBps: number;
  thresholdBps: number;
  isOver: boolean;
};

/** One Member's counting days with the product in a month. */
export type MemberEvidence = {
  /** `2026-11`. */
  month: string;
  days: DayMask;
  /** Included products with a counting day of this Member in the month. */
  productsUsed: number;
  accountCreatedAt: Date;
  /** The most accounts that signed in within 90 days from one of this Member's addresses; many count as 21. */
  accountsOnAddress: number;
  /** Instants of evidence on different days, at least the first and the last of the month. */
  times: readonly Date[];
};

/** How many of the Member's days a rule counts. */
const MATCHING: Record<ReviewRule, (member: MemberEvidence) => number> = {
  single_product: singleProductDays,
  young_accounts: youngAccountDays,
  shared_addresses: sharedAddressDays,
  regular_times: regularTimeDays,
};

/** The days of a product, and how many of them each rule counts. */
export type ReviewSums = { members: number; days: number; matching: Record<ReviewRule, number> };

export function emptySums(): ReviewSums {
  const matching = { single_product: 0, young_accounts: 0, shared_addresses: 0, regular_times: 0 };
  return { members: 0, days: 0, matching };
}

export function addMember(sums: ReviewSums, member: MemberEvidence): void {
  sums.members += 1;
  sums.days += countDays(member.days);
  for (const rule of RULES) sums.matching[rule] += MATCHING[rule](member);
}

/** Returns the figures in the order of the rules. */
export function toFigures({ members, days, matching }: ReviewSums): ReviewFigure[] {
  return RULES.map((rule) => toFigure(rule, { matching: matching[rule], days, members }));
}

/** Makes a figure of sums that were made elsewhere. */
export function toFigure(
  rule: ReviewRule,
  { matching, days, members }: { matching: number; days: number; members: number },
): ReviewFigure {
  const thresholdBps = REVIEW_THRESHOLDS[rule];
  const figureBps = days === 0 ? 0 : Number((BigInt(matching) * 10_000n) / BigInt(days));
  const isOver = members >= FEWEST_MEMBERS && figureBps > thresholdBps;
  return { rule, figureBps, thresholdBps, isOver };
}

/** Days of Members who use this product alone. */
export function singleProductDays({ days, productsUsed }: MemberEvidence): number {
  return productsUsed === 1 ? countDays(days) : 0;
}

/** Days on which the account was younger than seven days. */
export function youngAccountDays({ month, days, accountCreatedAt }: MemberEvidence): number {
  const until = new Date(accountCreatedAt.getTime() + YOUNG_DAYS * DAY_MS);
  return countDays(days & daysTouched(month, [{ from: new Date(0), until }]));
}

/** Days of Members with a sign-in address that more than 20 accounts share. */
export function sharedAddressDays({ days, accountsOnAddress }: MemberEvidence): number {
  return accountsOnAddress > SHARED_BY ? countDays(days) : 0;
}

/** Days of Members whose evidence comes at the same time of the day, as a timer sends it. */
export function regularTimeDays({ days, times }: MemberEvidence): number {
  const count = countDays(days);
  const isRegular =
    count >= REGULAR_FROM_DAYS && times.length > 1 && spreadMs(times) <= REGULAR_WITHIN_S * 1_000;
  return isRegular ? count : 0;
}

/** The shortest stretch of the day, midnight included, that holds all times. */
function spreadMs(times: readonly Date[]): number {
  const ofDay = times.map((at) => at.getTime() % DAY_MS).sort((one, other) => one - other);
  const gaps = ofDay.map((time, index) => (ofDay[index + 1] ?? ofDay[0]! + DAY_MS) - time);
  return DAY_MS - Math.max(...gaps);
}
