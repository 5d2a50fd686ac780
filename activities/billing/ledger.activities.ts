import { checkLedger } from '../../domain/billing/ledger/ledger-check.query.ts';
import type { Services } from '../services.ts';

export function createLedgerActivities({ database, logger }: Services) {
  return {
    async checkLedger(): Promise<Record<string, string>> {
      const unbalanced = await database.transaction(checkLedger);
      if (Object.keys(unbalanced).length > 0) {
        logger.error({ alert: 'ledger_unbalanced', unbalanced }, 'the ledger does not sum to zero');
      }
      return unbalanced;
    },
  };
}
