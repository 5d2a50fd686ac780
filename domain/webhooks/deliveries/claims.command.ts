// The claims of one process run one after the other, so an endpoint's limit holds among them.
// Several processes that claim within the same few milliseconds may exceed it together, once.
import type pg from 'pg';
import {
  claim,
  type Claimed,
  type ClaimedDelivery,
  type RetryAttempt,
} from './claim-deliveries.query.ts';
import { advanceRound, ROUND_START, START } from './claim-round.ts';
import { createQueue } from '../../../platform/fair-queue.ts';
import { createEndpointThrottle, type EndpointThrottle } from './endpoint-throttle.ts';

type FirstAttempts = {
  deliveries: ClaimedDelivery[];
  /** More may be claimed at once. */
  isMore: boolean;
  /** More waits for the responses under way. */
  isAtLimit: boolean;
};

/** Is null when the row says that the step must not be sent now. */
type ClaimedRetry =
  | { is: 'claimed'; delivery: ClaimedDelivery }
  | { is: 'busy'; endpointId: string }
  | null;

export type Claims = {
  throttle: EndpointThrottle;
  /**
   * Claims first attempts: at most `limit` of endpoints that answer quickly, and `slowLimit` of
   * slow ones.
   */
  firstAttempts(limit: number, slowLimit?: number): Promise<FirstAttempts>;
  retry(attempt: RetryAttempt): Promise<ClaimedRetry>;
};

type WaitingRetry = {
  attempt: RetryAttempt;
  resolve(claimed: ClaimedRetry): void;
  reject(error: unknown): void;
};

const VISITS = 32;
const NO_FIRST_ATTEMPTS = { limit: 0, slowLimit: 0, visits: 0, afterEndpointId: START };

export function createClaims(pool: pg.Pool): Claims {
  const throttle = createEndpointThrottle();
  const inOrder = createQueue({ atOnce: 1, waiting: Infinity });
  let waiting: WaitingRetry[] = [];
  let progress = ROUND_START;

  /** A claim takes the retries along that came during the one before. */
  async function claimWith(firstAttempts: typeof NO_FIRST_ATTEMPTS): Promise<Claimed> {
    const retries = waiting;
    waiting = [];
    const attempts = retries.map(({ attempt }) => attempt);
    const slowEndpointIds = throttle.slowEndpointIds();
    try {
      const claimed = await claim(pool, { ...firstAttempts, retries: attempts, slowEndpointIds });
      for (const { attempt, resolve } of retries) resolve(takeRetry(claimed, attempt));
      return claimed;
    } catch (error) {
      for (const { reject } of retries) reject(error);
      throw error;
    }
  }

  async function claimFirstAttempts(limit: number, slowLimit: number): Promise<FirstAttempts> {
    const { afterEndpointId } = progress;
    const round = await claimWith({ limit, slowLimit, visits: VISITS, afterEndpointId });
    const { visited, isAtLimit } = round;
    const deliveries = round.deliveries.filter(({ isRetry }) => !isRetry);
    const { next, isMore } = advanceRound(progress, {
      pageSize: VISITS,
      visited,
      isFull: round.quick === limit,
      hasLostSome: deliveries.length < round.chosen,
    });
    progress = next;
    return { deliveries, isMore, isAtLimit };
  }

  async function claimWaitingRetries(): Promise<void> {
    await Promise.resolve(); // retries that are asked for at once share the claim
    if (waiting.length > 0) await claimWith(NO_FIRST_ATTEMPTS).catch(() => undefined);
  }

  return {
    throttle,
    firstAttempts: (limit, slowLimit = limit) =>
      inOrder(() => claimFirstAttempts(limit, slowLimit)),
    retry: (attempt) =>
      new Promise((resolve, reject) => {
        waiting.push({ attempt, resolve, reject });
        void inOrder(claimWaitingRetries);
      }),
  };
}

/** Gives a step that was asked for twice at once to one caller, which sends it. */
function takeRetry({ deliveries, busy }: Claimed, { deliveryId }: RetryAttempt): ClaimedRetry {
  const index = deliveries.findIndex(({ id, isRetry }) => isRetry && id === deliveryId);
  const [delivery] = index < 0 ? [] : deliveries.splice(index, 1);
  if (delivery) return { is: 'claimed', delivery };
  const endpointId = busy?.[deliveryId];
  return endpointId === undefined ? null : { is: 'busy', endpointId };
}
