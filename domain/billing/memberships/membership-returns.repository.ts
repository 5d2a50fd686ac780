import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/database.ts';
import { moveDispute, type DisputeReading } from '../disputes/dispute.repository.ts';
import { Payment } from '../purchases/payment.entity.ts';
import { applyFact, type RefundFact } from '../refunds/refund-facts.repository.ts';
import { sumUpReturned } from '../refunds/returned-money.repository.ts';
import { decidePeriodOf } from '../subscriptions/subscription-reading.ts';
import type { CurrentMoney } from './membership-move.ts';

/** The processor's refunds and disputes of a membership's payments. */
export type Returns = {
  refunds: RefundFact[];
  disputes: { paymentId: string; reading: DisputeReading }[];
};

type Told = { membershipId: string; sequence: number; returns: Returns; at: Date };

/** Books refunds and disputes, and returns the state of the current period's money. */
export async function applyReturns(
  em: EntityManager,
  membership: { periodStart: Date | null },
  { membershipId, sequence, returns, at }: Told,
): Promise<CurrentMoney> {
  const { refunds, disputes } = returns;
  if (refunds.length === 0 && disputes.length === 0) return null;
  const payments = await em.find(
    Payment,
    { membershipId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  );
  for (const fact of refunds) {
    const payment = payments.find(({ id }) => id === fact.paymentId)!;
    await applyFact(em, { fact, payment: { ...payment, paymentId: payment.id }, at });
  }
  for (const { paymentId, reading } of disputes) {
    const payment = payments.find(({ id }) => id === paymentId)!;
    await moveDispute(em, { subject: membershipId, payment, sequence, dispute: reading });
  }
  const charges = await sumUpReturned(em, { membershipId });
  const current = charges.filter((charge) => decidePeriodOf(charge, membership) === 'current');
  if (current.length === 0) return null;
  return current.some(({ returnedMinor, grossMinor }) => returnedMinor >= grossMinor)
    ? 'gone'
    : 'kept';
}
