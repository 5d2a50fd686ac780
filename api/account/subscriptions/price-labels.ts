// The price per period as text.
import { formatMoney } from '../../../domain/shared/money.ts';
import type { MembershipView } from '../../../domain/billing/memberships/membership-view.repository.ts';
import type { BillingInterval } from '../../../domain/billing/recurring/billing-interval.ts';
import { PER } from '../../html/offer-labels.ts';

type Terms = { amountMinor: number; currency: string; billingInterval: BillingInterval };

export function writeTerms({ amountMinor, currency, billingInterval }: Terms): string {
  return `${formatMoney(amountMinor, currency)} ${PER[billingInterval]}`;
}

/** Returns null for a membership that was given. */
export function writeMemberTerms(membership: MembershipView): string | null {
  const { amountMinor, currency, billingInterval } = membership;
  if (amountMinor === null || currency === null || billingInterval === null) return null;
  return writeTerms({ amountMinor, currency, billingInterval });
}
