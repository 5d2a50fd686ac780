import { approveByCode } from '../../domain/pool/period/approve-by-code.command.ts';
import { describeSums } from '../../domain/pool/period/describe-sums.ts';
import {
  finishPeriod,
  openPeriods,
  findPeriod,
  wakeUnfinished,
} from '../../domain/pool/period/period.repository.ts';
import type { PoolPeriodInput } from '../../workflows/contracts.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { Services } from '../services.ts';
import { computePool } from '../../domain/pool/month-close/compute-month.repository.ts';
import { freezePool } from '../../domain/pool/month-close/freeze.repository.ts';
import { previewPool } from '../../domain/pool/month-close/preview.repository.ts';
import { reviewPeriod } from '../../domain/pool/review/review-period.repository.ts';

/** The state of a period, for its workflow: no amount of a Member or of a product. */
export type PeriodState = {
  /** `missing` when there is no such period. */
  status: string;
  freezeDueAt: string | null;
  /** The milliseconds until the period is frozen, by the database's clock. */
  remainingMs: number;
  /** Why it does not go on. */
  problem: string | null;
  /** The sums in words, once they are computed. */
  sums: string | null;
  /** Products on the review list. */
  listed: number;
  payouts: number;
  openPayouts: number;
};

type CodeAnswer = 'approved' | 'unchanged' | 'invalid_code' | 'expired_code';

const MISSING: PeriodState = {
  status: 'missing',
  freezeDueAt: null,
  remainingMs: 0,
  problem: null,
  sums: null,
  listed: 0,
  payouts: 0,
  openPayouts: 0,
};

export function createPoolPeriodActivities({
  database,
  encryptor,
  signer,
}: Pick<Services, 'database' | 'encryptor' | 'signer'>) {
  return {
    /** Opens what is missing and wakes what waits; a repeated call opens nothing. */
    openPoolPeriods: (): Promise<{ opened: string[]; woken: number }> =>
      database.transaction(async (em) => {
        const woken = await wakeUnfinished(em);
        return { opened: await openPeriods(em, encryptor), woken };
      }),

    async readPoolPeriod({ periodId }: PoolPeriodInput): Promise<PeriodState> {
      const period = await findPeriod(database.em(), periodId);
      if (!period) return MISSING;
      const { status, freezeDueAt, remainingMs, problem, listed, payouts, openPayouts } = period;
      return {
        status,
        freezeDueAt: freezeDueAt.toISOString(),
        remainingMs,
        problem,
        sums: describeSums(period),
        listed: Number(listed),
        payouts: Number(payouts),
        openPayouts: Number(openPayouts),
      };
    },

    /** Keeps the input of a month that is over, and its snapshot; a repeated call changes nothing. */
    freezePool: ({ periodId }: PoolPeriodInput) => freezePool(database, { periodId, encryptor }),

    /** Makes the statement and the lines of a frozen month, or says why it cannot. */
    computePool: ({ periodId }: PoolPeriodInput) => computePool(database, { periodId, encryptor }),

    /** Computes a running month for operators. */
    previewPool: ({ periodId }: PoolPeriodInput) => previewPool(database, { periodId, encryptor }),

    /** Returns how many products are on the operators' list; a repeated review changes nothing. */
    reviewPool: ({ periodId }: PoolPeriodInput): Promise<{ listed: number }> =>
      reviewPeriod(database, periodId),

    /** Temporal does not say who sends an Update, so it brings a code of the console. */
    approvePool: ({ periodId, code }: PoolPeriodInput & { code: string }): Promise<CodeAnswer> =>
      database.transaction(async (em) => {
        const approved = await approveByCode(em, { periodId, code, signer });
        if (!isRefusal(approved)) return 'approved';
        const { refused } = approved;
        return refused === 'invalid_code' || refused === 'expired_code' ? refused : 'unchanged';
      }),

    async finishPool({ periodId }: PoolPeriodInput): Promise<{ isPaid: boolean }> {
      return { isPaid: await finishPeriod(database.em(), periodId) };
    },
  };
}
