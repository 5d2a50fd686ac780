import { formatMoney } from '../../shared/money.ts';

type Sums = {
  currency: string;
  members: number | null;
  membersWithoutDays: number | null;
  feesMinor: number | null;
  platformMinor: number | null;
  productsMinor: number | null;
  unattributedMinor: number | null;
};

/** The sums of a computed period in words; null before. */
export function describeSums(period: Sums): string | null {
  const { currency, members, feesMinor, platformMinor, productsMinor, unattributedMinor } = period;
  if (members === null || feesMinor === null) return null;
  const money = (amountMinor: number | null) => formatMoney(amountMinor ?? 0, currency);
  return [
    `Members ${members}, without a day ${period.membersWithoutDays}`,
    `fees ${money(feesMinor)}`,
    `products ${money(productsMinor)}`,
    `platform ${money(platformMinor)}`,
    `unattributed ${money(unattributedMinor)}`,
  ].join('; ');
}
