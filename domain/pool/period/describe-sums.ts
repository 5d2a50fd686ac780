import { formatMoney } from '../../shared/money.ts';

/** Minor units; null before the period is computed. */
type Minor = number | string | null;

type Sums = {
  currency: string;
  feesMinor: Minor;
  platformMinor: Minor;
  productsMinor: Minor;
  unattributedMinor: Minor;
};

/** The sums of a period with their currency: the fees are the three others together. */
export function writeSums({ currency, ...sums }: Sums) {
  const money = (minor: Minor) => formatMoney(Number(minor), currency);
  return {
    fees: money(sums.feesMinor),
    platform: money(sums.platformMinor),
    products: money(sums.productsMinor),
    unattributed: money(sums.unattributedMinor),
  };
}

type Period = Sums & { members: number | null; membersWithoutDays: number | null };

/** The sums of a computed period in words; null before. */
export function describeSums(period: Period): string | null {
  if (period.members === null || period.feesMinor === null) return null;
  const members = `Members ${period.members}, without a day ${period.membersWithoutDays}`;
  const { fees, products, platform, unattributed } = writeSums(period);
  const money = `fees ${fees}; products ${products}; platform ${platform}; unattributed ${unattributed}`;
  return `${members}; ${money}`;
}
