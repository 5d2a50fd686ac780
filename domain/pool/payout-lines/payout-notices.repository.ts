import { queueMoneyMail } from '../../identity/mail/mail.repository.ts';
import { findOwnersOf } from '../../notifications/recipients.repository.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import { formatMoney } from '../../shared/money.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { PoolPayout } from './pool-payout.entity.ts';

type Notice = {
  purpose: 'pool_paid' | 'pool_failed';
  payoutId: string;
  /** The reason in words for the owners. */
  reason?: string;
};

/** Mails the owners once for a payout, in the transaction that ends it. */
export async function mailPoolPayout(
  em: EntityManager,
  { purpose, payoutId, ...told }: Notice,
): Promise<void> {
  const { personId, teamId, periodId, amountMinor, currency } = await em.findOneOrFail(PoolPayout, {
    id: payoutId,
  });
  const facts = {
    amount: formatMoney(amountMinor, currency),
    month: readPeriodId(periodId).month,
    payout: payoutId,
    ...told,
  };
  const owner = teamId === null ? { personId: personId! } : { teamId };
  for (const person of await findOwnersOf(em, owner)) {
    await queueMoneyMail(em, { purpose, subject: payoutId, facts, ...person });
  }
}
