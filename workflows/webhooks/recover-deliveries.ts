import { setHandler } from '@temporalio/workflow';
import { progressQuery, statusQuery, type Progress, type RecoveryInput } from '../contracts.ts';
import { updateVisibility } from '../visibility.ts';
import { receiveSignals } from '../signals.ts';
import { records } from '../activities.ts';

/** Queues dead and held deliveries again, batch by batch; the row knows where it is. */
export async function recoverDeliveries(input: RecoveryInput): Promise<string> {
  const signals = receiveSignals();
  let progress: Progress = { status: 'starting', done: 0, total: 0 };
  setHandler(statusQuery, () => progress.status);
  setHandler(progressQuery, () => progress);
  do {
    signals.drain();
    const summary = `after ${progress.done} of ${progress.total}`;
    const { productId, ...row } = await records.recoverBatch.executeWithOptions({ summary }, [
      input,
    ]);
    progress = row;
    const { status, done, total } = progress;
    updateVisibility({ status, productId, details: `${status}: ${done} of ${total}` });
  } while (progress.status === 'running' || signals.hasPending());
  return progress.status;
}
