import { setHandler } from '@temporalio/workflow';
import { waitForAttemptMs } from '../../domain/shared/wait-until-due.ts';
import { MOST_ATTEMPTS } from '../../domain/pool/payout-lines/transfer-schedule.ts';
import { statusQuery, type PoolPayoutInput } from '../contracts.ts';
import { describeRetries, inWords, updateVisibility } from '../visibility.ts';
import { continueWhenLong, receiveSignals, type PendingSignals } from '../signals.ts';
import { processor, records } from '../activities.ts';
import { acceptRetryNow } from '../retries/retry-now.ts';
import { attemptWhenDue } from '../retries/attempt-when-due.ts';

type Payout = Awaited<ReturnType<typeof records.readPoolPayout>>;

/** One transfer to an owner of products. The row says what is due; the workflow waits for it and attempts. */
export async function poolPayout(input: PoolPayoutInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  const now = { status: 'reading', isAttempting: false };
  setHandler(statusQuery, () => now.status);
  acceptRetryNow(
    () => now,
    async () => Number(await records.retryPoolPayoutNow(input)),
  );
  signals.drain();
  let payout = await records.readPoolPayout(input);
  for (;;) {
    const { attempts } = payout;
    now.status = payout.status === 'paying' && attempts > 0 ? 'retrying' : payout.status;
    const { status } = now;
    const waitMs = waitForAttemptMs(payout, Date.now());
    const { retry, reason, details } = describe(payout, status);
    const ofPerson = payout.personId === null ? {} : { personId: payout.personId };
    const { dueAt } = payout;
    updateVisibility({ status, attempt: attempts, dueAt, details, ...ofPerson });
    await continueWhenLong(input, signals);
    const summary = `${retry} in ${inWords(waitMs)}: ${reason}`;
    const options = { summary: `${retry}: ${reason}` };
    const attempt = () => processor.sendPoolPayout.executeWithOptions(options, [input]);
    const next = await attemptWhenDue<Payout>({
      signals,
      now,
      read: () => records.readPoolPayout(input),
      retry: payout.status === 'paying' ? { waitMs, summary, attempt } : null,
    });
    if (next === null) return status;
    payout = next.report;
  }
}

function describe(payout: Payout, status: string) {
  const { amount, attempts, dueAt, lastError } = payout;
  const reason = lastError ?? 'no problem so far';
  const retry = `attempt ${Math.min(attempts + 1, MOST_ATTEMPTS)} of ${MOST_ATTEMPTS}`;
  const about = `payout of ${amount}`;
  const details = describeRetries({ status, about, retry, dueAt, lastResponse: reason });
  return { retry, reason, details };
}
