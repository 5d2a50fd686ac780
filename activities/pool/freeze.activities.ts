import { computePool } from '../../domain/pool/freeze/compute.repository.ts';
import { freezePool } from '../../domain/pool/freeze/freeze.repository.ts';
import { previewPool } from '../../domain/pool/freeze/preview.repository.ts';
import type { PoolPeriodInput } from '../../workflows/contracts.ts';
import type { Services } from '../services.ts';

export function createPoolFreezeActivities({
  database,
  sealer,
}: Pick<Services, 'database' | 'sealer'>) {
  return {
    /** Keeps the input of a month that is over, and its snapshot; a repeated call changes nothing. */
    freezePool: ({ periodId }: PoolPeriodInput) => freezePool(database, { periodId, sealer }),

    /** Makes the statement and the lines of a frozen month, or says why it cannot. */
    computePool: ({ periodId }: PoolPeriodInput) => computePool(database, { periodId, sealer }),

    /** Computes a running month for operators. */
    previewPool: ({ periodId }: PoolPeriodInput) => previewPool(database, { periodId, sealer }),
  };
}
