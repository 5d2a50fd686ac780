import { recoverBatch, type RecoveryProgress } from '../../domain/webhooks/recovery-batch.store.ts';
import type { Services } from '../index.ts';

export function createRecoveryActivities({ database }: Services) {
  return {
    async recoverBatch({ recoveryId }: { recoveryId: string }): Promise<RecoveryProgress> {
      return database.transaction((em) => recoverBatch(em, recoveryId));
    },
  };
}
