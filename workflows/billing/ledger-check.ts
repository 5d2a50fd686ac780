import { records } from '../activities.ts';

/** Currencies whose entries do not sum to zero, with the difference. Any is a fault. */
export async function ledgerCheck(): Promise<Record<string, string>> {
  return records.checkLedger();
}
