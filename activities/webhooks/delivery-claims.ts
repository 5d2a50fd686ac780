// The claims of one process run one after the other, so an endpoint's limit holds among them.
// Several processes that claim within the same few milliseconds may exceed it together, once.
import type pg from 'pg';
import {
  claimRetries,
  type ClaimedRetry,
  type RetryAttempt,
} from '../../domain/webhooks/dispatch/claim-retries.query.ts';
import { claimFirstAttempts } from '../../domain/webhooks/dispatch/claim.query.ts';
import type { ClaimedDelivery } from '../../domain/webhooks/dispatch/record-attempts.query.ts';
import { createEndpointPace, type EndpointPace } from './endpoint-pace.ts';

type FirstAttempts = {
  deliveries: ClaimedDelivery[];
  /** More may be claimed at once. */
  isMore: boolean;
  /** More waits for the responses under way. */
  isAtLimit: boolean;
};

export type Claims = {
  pace: EndpointPace;
  /** At most `limit`, of which at most `slowLimit` at slow endpoints. */
  firstAttempts(limit: number, slowLimit?: number): Promise<FirstAttempts>;
  retry(attempt: RetryAttempt): Promise<ClaimedRetry | null>;
};

const START = '00000000-0000-0000-0000-000000000000';
const VISITS = 32;

export function createClaims(pool: pg.Pool): Claims {
  const pace = createEndpointPace();
  const inTurn = createTurns();
  let afterEndpointId = START;
  /** Every endpoint since the start was visited and had room, so the rest has to wait. */
  let isWholeRound = true;

  async function firstAttempts(limit: number, slowLimit: number): Promise<FirstAttempts> {
    const slowEndpointIds = pace.slowEndpointIds();
    const request = { limit, slowLimit, visits: VISITS, slowEndpointIds, afterEndpointId };
    const round = await claimFirstAttempts(pool, request);
    const { deliveries, chosen, visited, isAtLimit } = round;
    const isFull = chosen === limit;
    const isLast = visited < VISITS;
    const isEnd = isLast && !isFull;
    afterEndpointId = isLast ? START : (round.lastVisitedEndpointId ?? START);
    const isMore = !isEnd || !isWholeRound || deliveries.length < chosen;
    isWholeRound = isEnd || (isWholeRound && !isFull);
    return { deliveries, isMore, isAtLimit };
  }

  const retries = createGathering<RetryAttempt, ClaimedRetry | null>((attempts) =>
    inTurn(() => claimRetries(pool, { attempts, slowEndpointIds: pace.slowEndpointIds() })),
  );

  return {
    pace,
    firstAttempts: (limit, slowLimit = limit) => inTurn(() => firstAttempts(limit, slowLimit)),
    retry: retries,
  };
}

function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

type Waiting<Input, Output> = {
  input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
};

/** Calls that come while a statement is under way share the next one. */
function createGathering<Input, Output>(answerAll: (inputs: Input[]) => Promise<Output[]>) {
  let waiting: Waiting<Input, Output>[] = [];
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await answerAll(batch.map(({ input }) => input)).then(
        (outputs) => batch.forEach(({ resolve }, index) => resolve(outputs[index]!)),
        (error) => batch.forEach(({ reject }) => reject(error)),
      );
    }
    isRunning = false;
  }
  return (input: Input): Promise<Output> =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (!isRunning) void run();
    });
}
