import { runEach } from '../../domain/shared/run-each.ts';
import { scheduled } from '../activities.ts';

const { processor, records } = scheduled;

// The limit of one run; the next run continues.
const MOST_BATCHES = 50;

/** Asks the processor again about whatever has waited too long, batch by batch; each entity workflow receives a message. */
export async function reconcile(): Promise<{ asked: number; adopted: number }> {
  const counts = { asked: 0, adopted: 0 };
  await runEach(
    async () => void (counts.adopted = (await records.adoptEarlyEvents()).adopted),
    async () => void (counts.asked = await askUnresolved()),
    () => processor.refreshPayoutAccounts(),
    () => processor.findLostDisputes(),
    () => records.notifyOperators(),
  );
  return counts;
}

async function askUnresolved(): Promise<number> {
  let asked = 0;
  for (let batch = 1; batch <= MOST_BATCHES; batch += 1) {
    const summary = `batch ${batch}, after ${asked}`;
    const taken = await records.askUnresolved.executeWithOptions({ summary }, []);
    asked += taken.asked;
    if (!taken.hasMore) break;
  }
  return asked;
}
