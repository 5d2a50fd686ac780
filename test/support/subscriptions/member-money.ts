import type { DisputeStatus } from '../../../domain/billing/disputes/dispute-status.ts';
import type { createMemberships, Member } from './memberships.ts';
import { MEMBER_PRICE_MINOR } from './memberships.ts';
import type { Said } from './subscriptions.ts';

type Stories = ReturnType<typeof createMemberships>;

/** What banks and the processor do with the first charge of a membership, once it is read. */
export function createMemberMoney({ payments, hear }: Pick<Stories, 'payments' | 'hear'>) {
  return {
    async dispute(member: Member, status: DisputeStatus, said: Said = {}): Promise<void> {
      const [payment] = await payments(member);
      const named = { processorId: `du_${member.membershipId}`, reason: 'fraudulent', dueAt: null };
      const money = { amountMinor: MEMBER_PRICE_MINOR, currency: 'USD' };
      const fees = [{ feeMinor: 1_500, currency: 'USD' }];
      const reading = { ...named, ...money, status, fees };
      const returns = { refunds: [], disputes: [{ paymentId: payment!.id, reading }] };
      await hear(member, { returns, ...said });
    },

    /** All of it; one of the same name is the same refund. */
    async refund(
      member: Member,
      status: 'succeeded' | 'failed',
      { name = 're', ...said }: Said & { name?: string } = {},
    ): Promise<void> {
      const [payment] = await payments(member);
      const named = { processorId: `${name}_${member.membershipId}`, refundId: null };
      const money = { paymentId: payment!.id, amountMinor: MEMBER_PRICE_MINOR };
      const refunds = [{ ...named, ...money, status, failure: null }];
      await hear(member, { returns: { refunds, disputes: [] }, ...said });
    },
  };
}
