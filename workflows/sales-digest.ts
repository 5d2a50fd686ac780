import { records } from './activities.ts';

// 100 digests a call; the run of the next hour continues.
const CALLS = 100;

/** Mails sellers about the busy days that are over. */
export async function salesDigest(): Promise<{ queued: number }> {
  let total = 0;
  for (let call = 1; call <= CALLS; call += 1) {
    const { queued, isAnyLeft } = await records.queueSalesDigests();
    total += queued;
    if (!isAnyLeft) break;
  }
  return { queued: total };
}
