import { splitByLargestRemainder, type Sha256Hex } from './largest-remainder.ts';
import { potMinor } from './net-fee.ts';

/** The terms of a month's pool in one currency. */
export type PoolTerms = {
  /** `2026-11`. */
  period: string;
  rule: string;
  poolShareBps: number;
};

/** The qualified days of one Member with one product; both ids are those of the snapshot. */
export type ProductDays = { product: string; days: number };

export type MemberMonth = {
  member: string;
  netMinor: number;
  products: readonly ProductDays[];
};

export type MemberSplit = {
  potMinor: number;
  /** The part of the fee that is not in the pot. */
  platformMinor: number;
  /** The pot of a Member without a qualified day. */
  unattributedMinor: number;
  /** Stand in the order of the Member's products. */
  amountsMinor: number[];
  totalDays: number;
};

/** How the fee of one Member is split; a Member's split depends on nobody else. */
export type PoolRule = {
  id: string;
  splitMember(member: MemberMonth, given: { terms: PoolTerms; sha256: Sha256Hex }): MemberSplit;
};

/** Each Member's pot goes to the products that this Member used, by qualified days. */
const userCentric: PoolRule = {
  id: 'user-centric-1',
  splitMember({ member, netMinor, products }, { terms: { period, poolShareBps }, sha256 }) {
    const pot = potMinor(netMinor, poolShareBps);
    const weights = products.map(({ days }) => days);
    const totalDays = weights.reduce((sum, days) => sum + days, 0);
    const rankOf = (index: number) => sha256(`${period}|${member}|${products[index]!.product}`);
    return {
      potMinor: pot,
      platformMinor: netMinor - pot,
      unattributedMinor: totalDays === 0 ? pot : 0,
      amountsMinor:
        totalDays === 0 ? products.map(() => 0) : splitByLargestRemainder(pot, { weights, rankOf }),
      totalDays,
    };
  },
};

/** The rule of new periods. */
export const POOL_RULE = userCentric;

const RULES: readonly PoolRule[] = [userCentric];

export function findPoolRule(id: string): PoolRule | null {
  return RULES.find((rule) => rule.id === id) ?? null;
}
