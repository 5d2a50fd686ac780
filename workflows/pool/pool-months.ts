import { records } from '../activities.ts';

/** Opens the periods of a new month, and wakes those that wait. */
export async function poolMonths(): Promise<{ opened: string[]; woken: number }> {
  return records.openPoolPeriods();
}
