import {
  recoverBatch,
  type RecoveryProgress,
} from '../../domain/webhooks/recoveries/recover-batch.repository.ts';
import type { Services } from '../services.ts';

export function createRecoveryActivities({ database }: Services) {
  return {
    async recoverBatch({ recoveryId }: { recoveryId: string }): Promise<RecoveryProgress> {
      return database.transaction((em) => recoverBatch(em, recoveryId));
    },
  };
}
