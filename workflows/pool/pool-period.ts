import {
  allHandlersFinished,
  condition,
  setHandler,
  ApplicationFailure,
} from '@temporalio/workflow';
import { DAY_MS, HOUR_MS } from '../../domain/shared/instant.ts';
import type { PeriodState } from '../../activities/pool/period.activities.ts';
import { pools, previews, records } from '../activities.ts';
import { statusQuery, type PoolPeriodInput, approveUpdate } from '../contracts.ts';
import { continueWhenLong, receiveSignals, summarize, type PendingSignals } from '../signals.ts';
import { updateVisibility } from '../visibility.ts';
import { readApprovalCode } from '../../domain/pool/period/approval-code.ts';

const OVER = ['paid', 'empty', 'missing'];

/** A step was made, and why it did not move the row, where it says so. */
type StepResult = { status: string; problem: string | null };

/**
 * One month of the creator pool in one currency, from its opening until it is paid. The row says how
 * far it is; a step that does not move the row is made again in an hour.
 */
export async function poolPeriod(input: PoolPeriodInput, pending?: PendingSignals) {
  const signals = receiveSignals(pending);
  let status = 'reading';
  setHandler(statusQuery, () => status);
  acceptApproval(input, () => status);
  let tried = null as StepResult | null;
  for (;;) {
    const taken = signals.drain();
    if (taken.some(({ kind }) => kind === 'preview')) await preview(input);
    const options = { summary: summarize(taken) };
    const period = await records.readPoolPeriod.executeWithOptions(options, [input]);
    status = period.status;
    const unmoved: StepResult | null = tried?.status === status ? tried : null;
    const step = unmoved ? undefined : stepOf(period);
    const isOver = OVER.includes(status);
    const waitMs = step || isOver ? 0 : waitOf(period);
    const details = show(period, { problem: period.problem ?? unmoved?.problem ?? null, waitMs });
    // An operator's request is answered before its run is over.
    if (isOver) await condition(allHandlersFinished);
    if (isOver && !signals.hasPending()) return status;
    await continueWhenLong(input, signals);
    tried = step ? { status, problem: await step(input) } : null;
    if (!step) await signals.wait(waitMs, details);
  }
}

type Step = (input: PoolPeriodInput) => Promise<string | null>;

const STEPS: Record<string, Step> = {
  async open(input) {
    await pools.freezePool(input);
    return null;
  },
  async frozen(input) {
    const computed = await pools.computePool(input);
    return computed.status === 'frozen' ? computed.problem : null;
  },
  async computed(input) {
    await pools.reviewPool(input);
    return null;
  },
  approved: async (input) => (await pools.startPoolPayouts(input)).problem,
  async paying(input) {
    await records.finishPool(input);
    return null;
  },
};

/** None while the period waits: for the end of its month, an approval or a payout. */
function stepOf(period: PeriodState): Step | undefined {
  const { status, openPayouts } = period;
  const isWaiting = isRunning(period) || (status === 'paying' && openPayouts > 0);
  return isWaiting ? undefined : STEPS[status];
}

function isRunning({ status, remainingMs }: PeriodState): boolean {
  return status === 'open' && remainingMs > 0;
}

function waitOf(period: PeriodState): number {
  if (isRunning(period)) return period.remainingMs;
  return period.status === 'in_review' || period.status === 'paying' ? DAY_MS : HOUR_MS;
}

function show(
  period: PeriodState,
  { problem, waitMs }: { problem: string | null; waitMs: number },
): string {
  const until = waitMs === 0 ? null : new Date(Date.now() + waitMs).toISOString();
  const details = describePeriod(period, { problem, until });
  const status = problem === null ? period.status : 'stopped';
  updateVisibility({ status, dueAt: until, details });
  return details;
}

/** Makes a preview for people alone: the period goes on without one, and the history says why. */
async function preview(input: PoolPeriodInput): Promise<void> {
  await previews.previewPool(input).catch(() => undefined);
}

/** What a wait is for; without an instant the step is made now. */
type Ahead = { problem: string | null; until: string | null };

/** Describes the state of a period, for a person to read in Temporal. */
function describePeriod(period: PeriodState, { problem, until }: Ahead): string {
  const { status, sums } = period;
  const about =
    problem === null
      ? [status, ...aheadOf(period, until)]
      : [`stopped at ${status}`, problem, ...(until ? [`tries again at ${until}`] : [])];
  const [first, ...others] = [...about, ...(sums === null ? [] : [sums])];
  return others.length === 0 ? first! : `${first}: ${others.join('; ')}`;
}

function aheadOf({ status, listed, payouts, openPayouts }: PeriodState, until: string | null) {
  if (status === 'in_review') {
    return ['waits for the approval of an operator', `on the review list: ${listed} products`];
  }
  if (status === 'paying') return [`${openPayouts} of ${payouts} payouts are under way`];
  if (until === null) return [];
  return [status === 'open' ? `will be frozen at ${until}` : `tries again at ${until}`];
}

const WHERE = 'the page of the month in the console makes one';

const REFUSALS = {
  invalid_code: 'the code is not of this month, or not of an operator',
  expired_code: 'the code is older than five minutes',
};

/**
 * An approval is refused before it is in the history unless the period is in review and it brings a
 * code of the console. The row decides whether it is the first. A code that is in the history is
 * used up, or is so in five minutes.
 */
function acceptApproval(input: PoolPeriodInput, readStatus: () => string): void {
  const validator = (code: string) => {
    if (readStatus() !== 'in_review') throw new Error(`it is not in review: ${readStatus()}`);
    if (readApprovalCode(String(code)) === null) throw new Error(`that is no code: ${WHERE}`);
  };
  const handler = async (code: string) => {
    const approved = await records.approvePool({ ...input, code });
    if (approved !== 'approved' && approved !== 'unchanged') {
      throw ApplicationFailure.nonRetryable(`${REFUSALS[approved]}: ${WHERE}`);
    }
    return approved;
  };
  setHandler(approveUpdate, handler, { validator });
}
