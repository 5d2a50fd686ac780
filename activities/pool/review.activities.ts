import { reviewPeriod } from '../../domain/pool/review/review-period.repository.ts';
import type { PoolPeriodInput } from '../../workflows/contracts.ts';
import type { Services } from '../services.ts';

export function createPoolReviewActivities({ database }: Pick<Services, 'database'>) {
  return {
    /** Says how many products are on the operators' list; a repeated review changes nothing. */
    reviewPool: ({ periodId }: PoolPeriodInput): Promise<{ listed: number }> =>
      reviewPeriod(database, periodId),
  };
}
