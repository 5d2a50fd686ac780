// What the tests of single steps share: one sandbox a file, and how activities may be tried.
import test from 'ava';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import { openSandbox, type Run, type Sandbox } from './sandbox.ts';

export const message = (id: string, kind = id) => ({ outboxId: id, kind });

const S = 1_000;
const MINUTE = 60 * S;
const unbounded = { scheduleToCloseMs: null, heartbeatMs: 5 * S };

/** How long an activity may take, and how it is tried again. */
export const TRIES = {
  records: {
    ...unbounded,
    startToCloseMs: 15 * S,
    retry: { initialMs: 500, maximumMs: MINUTE, attempts: 0 },
  },
  reviews: {
    ...unbounded,
    startToCloseMs: 10 * MINUTE,
    retry: { initialMs: 500, maximumMs: MINUTE, attempts: 0 },
  },
  processor: {
    ...unbounded,
    startToCloseMs: 30 * S,
    retry: { initialMs: 500, maximumMs: MINUTE, attempts: 0 },
  },
  deliveries: {
    ...unbounded,
    startToCloseMs: 35 * S,
    retry: { initialMs: 500, maximumMs: 15 * S, attempts: 0 },
  },
  mails: {
    ...unbounded,
    startToCloseMs: MINUTE,
    retry: { initialMs: 500, maximumMs: 5 * MINUTE, attempts: 0 },
  },
};

const bounded = { initialMs: 500, maximumMs: MINUTE, attempts: 5 };

/** Those of a schedule's run. */
export const SCHEDULED_TRIES = {
  records: { ...TRIES.records, retry: bounded },
  reviews: { ...TRIES.reviews, retry: bounded },
  processor: { ...TRIES.processor, retry: bounded },
};

const ofPools = { ...unbounded, startToCloseMs: 60 * MINUTE };

/** Those of the pool. */
export const POOL_TRIES = {
  pools: { ...ofPools, retry: { initialMs: 500, maximumMs: MINUTE, attempts: 0 } },
  previews: { ...ofPools, retry: { initialMs: 500, maximumMs: MINUTE, attempts: 3 } },
};

/** Opens a sandbox for a test file. */
export function useSandbox(): Sandbox['start'] {
  let sandbox: Sandbox;
  test.before(async () => {
    sandbox = await openSandbox(await loadWorkflowBundle());
  });
  return (...begin) => sandbox.start(...begin);
}

/** The instant of a wait that begins now, as details show it. */
export const instantAfter = (run: Run, milliseconds: number) =>
  new Date(run.nowMs() + milliseconds).toISOString();
