import { computePool } from '../../domain/pool/freeze/compute.repository.ts';
import { freezePool } from '../../domain/pool/freeze/freeze.repository.ts';
import { previewPool } from '../../domain/pool/freeze/preview.repository.ts';
import type { Services } from '../index.ts';

type Period = { periodId: string };

export function createPoolFreezeActivities({
  database,
  sealer,
}: Pick<Services, 'database' | 'sealer'>) {
  return {
    /** Keeps the input of a month that is over, and its snapshot; a repeated call changes nothing. */
    freezePool: ({ periodId }: Period) => freezePool(database, { periodId, sealer }),

    /** Makes the statement and the lines of a frozen month, or says why it cannot. */
    computePool: ({ periodId }: Period) => computePool(database, { periodId, sealer }),

    /** Computes a running month for operators. */
    previewPool: ({ periodId }: Period) => previewPool(database, { periodId, sealer }),
  };
}
