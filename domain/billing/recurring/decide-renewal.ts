import { isSameMoney, type Money } from '../purchases/payment-status.ts';

export type RenewalDecision = 'accept' | 'send_back' | 'differs';

/**
 * Accepts a renewal's payment as agreed: it moves the paid period forward. A payment after the end,
 * after one that was not as agreed, or of a deleted party goes back.
 */
export function decideRenewal(
  charge: Money,
  renewed: Money & { status: string },
  { isNotAsAgreed, isPartyDeleted }: { isNotAsAgreed: boolean; isPartyDeleted: boolean },
): RenewalDecision {
  if (renewed.status === 'ended' || isNotAsAgreed || isPartyDeleted) return 'send_back';
  return isSameMoney(charge, renewed) ? 'accept' : 'differs';
}
