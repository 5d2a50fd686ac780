import { processor, records } from '../activities.ts';

// The limit of one run; the next run continues.
const MOST_BATCHES = 50;

/** Asks the processor again about whatever has waited too long, batch by batch; each entity workflow receives a message. */
export async function reconcile(): Promise<{ asked: number; adopted: number }> {
  const { adopted } = await records.adoptEarlyEvents();
  let asked = 0;
  for (let batch = 1; batch <= MOST_BATCHES; batch += 1) {
    const summary = `batch ${batch}, after ${asked}`;
    const taken = await records.askUnresolved.executeWithOptions({ summary }, []);
    asked += taken.asked;
    if (!taken.hasMore) break;
  }
  await processor.refreshPayoutAccounts();
  await processor.findLostDisputes();
  await records.notifyOperators();
  return { asked, adopted };
}
