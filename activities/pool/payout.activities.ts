import { ApplicationFailure } from '@temporalio/common';
import {
  isProcessorTrouble,
  ProcessorFault,
  type Processor,
} from '../../clients/processor/processor.ts';
import { chargeLimits } from '../../clients/processor/amounts.ts';
import { recordAudit } from '../../domain/audit/audit.repository.ts';
import {
  settlePeriod,
  type SettledPeriod,
} from '../../domain/pool/payout-lines/settle-period.repository.ts';
import {
  beginTransfer,
  findPayout,
  recordTransfer,
  retryPayoutNow,
  type BegunTransfer,
  type PayoutProgress,
} from '../../domain/pool/payout-lines/transfer.repository.ts';
import {
  MOST_ATTEMPTS,
  type TransferOutcome,
} from '../../domain/pool/payout-lines/transfer-schedule.ts';
import type { PoolPayoutInput, PoolPeriodInput } from '../../workflows/contracts.ts';
import type { Services } from '../services.ts';

/** `isEarly`: nothing was sent, and the attempt is still ahead. */
export type PayoutReport = PayoutProgress & { isEarly: boolean };

export function createPoolPayoutActivities({ database, processor }: Services) {
  /**
   * Throws when the row is missing: there is nothing to do, now or later, and the workflow fails
   * and ends.
   */
  async function load(payoutId: string): Promise<PayoutProgress> {
    const found = await findPayout(database.em(), payoutId);
    if (found) return found;
    throw ApplicationFailure.nonRetryable(`There is no payout ${payoutId}.`, 'PayoutGone');
  }

  return {
    /** Settles an approved period; safe to repeat. */
    async startPoolPayouts({ periodId }: PoolPeriodInput): Promise<SettledPeriod> {
      const isLive = processor.kind === 'stripe';
      const stepMinor = (currency: string) => chargeLimits(currency).step;
      return database.transaction((em) => settlePeriod(em, { periodId, isLive, stepMinor }));
    },

    async readPoolPayout({ payoutId }: PoolPayoutInput): Promise<PayoutReport> {
      return { ...(await load(payoutId)), isEarly: false };
    },

    /** Makes one attempt when the row agrees that it is due. */
    async sendPoolPayout({ payoutId }: PoolPayoutInput): Promise<PayoutReport> {
      const begun = await database.transaction((em) => beginTransfer(em, payoutId));
      if (begun) {
        const outcome = await transfer(processor, begun);
        await database.transaction((em) => recordTransfer(em, { ...begun, outcome }));
      }
      const payout = await load(payoutId);
      return { ...payout, isEarly: !begun && payout.status === 'paying' };
    },

    /** An operator's Update: true when an attempt is due now because of it. */
    async retryPoolPayoutNow({ payoutId }: PoolPayoutInput): Promise<boolean> {
      return database.transaction(async (em) => {
        const isDue = await retryPayoutNow(em, payoutId);
        // Temporal does not say who sent an Update.
        const by = { personId: null, ip: null };
        const detail = { via: 'Temporal' };
        if (isDue)
          await recordAudit(em, { by, action: 'payouts.retried_now', subject: payoutId, detail });
        return isDue;
      });
    },
  };
}

/** Asks the processor first, from the second attempt on, what became of the attempt before. */
async function transfer(processor: Processor, begun: BegunTransfer): Promise<TransferOutcome> {
  const { attempts, lastError } = begun;
  let isAsking = attempts > 1;
  try {
    const found = isAsking ? await processor.findTransfer(begun) : null;
    if (found) return { is: 'made', ...found };
    if (attempts > MOST_ATTEMPTS) return { is: 'not_made', reason: lastError ?? 'No transfer.' };
    isAsking = false;
    return await processor.createTransfer(begun);
  } catch (error) {
    const isNo = !isAsking && error instanceof ProcessorFault && error.isPermanent;
    return { is: isNo ? 'not_made' : 'unknown', reason: describeFault(error) };
  }
}

/**
 * The request may have been sent, whatever was thrown: a response that cannot be read leaves the
 * outcome as unknown as none does. Thrown on, it would be tried again beside the payout's schedule.
 */
function describeFault(error: unknown): string {
  return isProcessorTrouble(error) ? error.message : `the attempt broke off: ${String(error)}`;
}
