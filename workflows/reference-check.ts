import { records } from './activities.ts';

/** Rows that refer to missing rows, by tables. Any is a fault. */
export async function referenceCheck(): Promise<Record<string, number>> {
  return records.checkReferences();
}
