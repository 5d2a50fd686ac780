// The platform's fee, in the words of the console.
import { formatMoney, platformCutMinor } from '../../../domain/shared/money.ts';

/** `10 %` */
export function writeFee(basisPoints: number): string {
  return `${basisPoints / 100} %`;
}

/** What the seller has of a payment. */
export function describeFee(
  { amountMinor, currency }: { amountMinor: number; currency: string },
  basisPoints: number,
): string {
  const received = formatMoney(amountMinor - platformCutMinor(amountMinor, basisPoints), currency);
  const gross = formatMoney(amountMinor, currency);
  return `Platform fee ${writeFee(basisPoints)} · you receive ${received} of ${gross}`;
}
