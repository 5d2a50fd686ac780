import { correctMember, type MemberChange, type MemberCorrection } from '../split/correction.ts';
import type { Sha256Hex } from '../split/largest-remainder.ts';
import {
  findPoolRule,
  type MemberMonth,
  type PoolRule,
  type PoolTerms,
} from '../split/pool-rule.ts';

/** Tells where the fee of one Member went, or how a correction changes that. */
export type FeeSplit = MemberCorrection;

type SplitInput = { terms: PoolTerms; sha256: Sha256Hex };

/** Splits the fee as the statement of the month does, to the unit. */
export function splitFee(month: MemberMonth, given: SplitInput): FeeSplit {
  const split = ruleOf(given.terms).splitMember(month, given);
  return {
    feesMinor: month.netMinor,
    platformMinor: split.platformMinor,
    unattributedMinor: split.unattributedMinor,
    products: month.products.map(({ product, days }, index) => ({
      product,
      days,
      amountMinor: split.amountsMinor[index]!,
    })),
  };
}

/** Corrects the fee as the statement of a later month does. */
export function correctFee(change: MemberChange, given: SplitInput): FeeSplit {
  const { products, ...sums } = correctMember(change, { ...given, rule: ruleOf(given.terms) });
  return {
    ...sums,
    products: products.filter(({ amountMinor, days }) => amountMinor !== 0 || days !== 0),
  };
}

function ruleOf({ rule }: PoolTerms): PoolRule {
  const found = findPoolRule(rule);
  if (!found) throw new Error(`the rule "${rule}" is unknown`);
  return found;
}
