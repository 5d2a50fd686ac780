import type { Sha256Hex } from './largest-remainder.ts';
import type { MemberMonth, MemberSplit, PoolRule, PoolTerms } from './pool-rule.ts';

/** What a frozen month held of a Member, and what it would hold now. */
export type MemberChange = {
  member: string;
  before: Omit<MemberMonth, 'member'>;
  after: Omit<MemberMonth, 'member'>;
};

/** Differences: negative where the month has paid too much. */
export type MemberCorrection = {
  feesMinor: number;
  platformMinor: number;
  unattributedMinor: number;
  products: { product: string; amountMinor: number; days: number }[];
};

type CorrectionInput = { rule: PoolRule; terms: PoolTerms; sha256: Sha256Hex };

/**
 * The correction of a frozen month after a refund, a lost dispute or excluded evidence, by the terms
 * and the ids of that month. The original and its corrections add up to the month as it is known now.
 */
export function correctMember(
  { member, before, after }: MemberChange,
  given: CorrectionInput,
): MemberCorrection {
  const { rule } = given;
  const was = rule.splitMember({ member, ...before }, given);
  const is = rule.splitMember({ member, ...after }, given);
  const changes = new Map<string, { amountMinor: number; days: number }>();
  const add = (
    month: MemberChange['after'],
    { split, sign }: { split: MemberSplit; sign: 1 | -1 },
  ) => {
    for (const [index, { product, days }] of month.products.entries()) {
      const change = changes.get(product) ?? { amountMinor: 0, days: 0 };
      change.amountMinor += sign * split.amountsMinor[index]!;
      change.days += sign * days;
      changes.set(product, change);
    }
  };
  add(before, { split: was, sign: -1 });
  add(after, { split: is, sign: 1 });
  return {
    feesMinor: after.netMinor - before.netMinor,
    platformMinor: is.platformMinor - was.platformMinor,
    unattributedMinor: is.unattributedMinor - was.unattributedMinor,
    products: [...changes].map(([product, change]) => ({ product, ...change })),
  };
}
