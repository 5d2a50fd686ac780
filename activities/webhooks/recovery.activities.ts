import {
  recoverBatch,
  type RecoveryProgress,
} from '../../domain/webhooks/recoveries/recovery.command.ts';
import type { Services } from '../services.ts';

export function createRecoveryActivities({ database }: Services) {
  return {
    async recoverBatch({ recoveryId }: { recoveryId: string }): Promise<RecoveryProgress> {
      return recoverBatch(database.em(), recoveryId);
    },
  };
}
