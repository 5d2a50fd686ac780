// Sends first attempts straight from their rows: a lease makes a crash repeat an attempt, nothing
// more.
import { startBackgroundJob, type BackgroundJob } from './jobs/background-job.ts';
import { createNotifier } from './jobs/notifier.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import { createIntegrationRecorder } from '../domain/seal/integration-counts.repository.ts';
import type { ClaimedDelivery } from '../domain/webhooks/deliveries/claim-deliveries.query.ts';
import type { Outcome, SentDelivery } from '../domain/webhooks/deliveries/record-attempts.query.ts';
import { TEST_EVENT } from '../domain/webhooks/test-event.ts';
import type { Claims } from '../domain/webhooks/deliveries/claims.command.ts';
import type { DeliverySender } from '../activities/services.ts';
import { sendAndRecord } from '../activities/webhooks/delivery.activities.ts';
import { recordAttempts } from '../domain/webhooks/deliveries/record-attempts.command.ts';

type Parts = { database: Database; claims: Claims; sender: DeliverySender; logger: Logger };

/** Twice the limit of one owner. A request that waits for its response costs next to nothing. */
const PLACES = 1_024;
/** The places of slow endpoints. */
const SLOW_PLACES = PLACES / 4;
/** The free places that are worth a claim when more deliveries wait than places exist. */
const REFILL = 64;
const POLL_MS = 1_000;
const FULL_MS = 20;
const RECORD_TRIES = 8;
/** A statement costs as much as ten of its outcomes, so in a burst it waits for more of them. */
const BATCH_SIZE = 128;
const GATHERING_MS = 10;

/** A stop claims nothing more, and finishes and records the attempts under way. */
export function startDispatcher(services: Parts): BackgroundJob {
  const { database, claims, logger } = services;
  // A recorded attempt frees its place within the endpoint's limit.
  const onRecorded = () => isAtLimit && job.wake();
  const sending = new Map<ClaimedDelivery, Promise<void>>();
  const integrations = createIntegrationRecorder(database, logger);
  const isBurst = () => isMore || isAtLimit;
  const recorder = createRecorder({ database, logger, onRecorded, isBurst });
  let isMore = true;
  let isAtLimit = false;

  async function send(delivery: ClaimedDelivery): Promise<void> {
    try {
      await sendAndRecord(services, [delivery], ([sent]) => {
        recorder.record(sent!);
        const { outcome } = sent!;
        if (!isCounted(delivery, outcome)) return;
        integrations.noteFirstAttempt(delivery.productId, outcome.error === null);
      });
    } catch (error) {
      logger.error({ err: error, deliveryId: delivery.id }, 'a delivery could not be sent');
    }
    sending.delete(delivery);
    if (isMore && PLACES - SLOW_PLACES - sending.size >= REFILL) job.wake();
  }

  function countFree(): { quick: number; slow: number } {
    const deliveries = [...sending.keys()];
    const slow = deliveries.filter(({ endpointId }) => claims.throttle.isSlow(endpointId)).length;
    const free = PLACES - sending.size;
    const forSlow = Math.max(0, Math.min(free, SLOW_PLACES - slow));
    return { quick: free - forSlow, slow: forSlow };
  }

  async function claim(): Promise<number> {
    const free = countFree();
    if (free.quick + free.slow === 0) return FULL_MS;
    const claimed = await claims.firstAttempts(free.quick, free.slow);
    ({ isMore, isAtLimit } = claimed);
    for (const delivery of claimed.deliveries) sending.set(delivery, send(delivery));
    if (!isMore) return POLL_MS;
    return countFree().quick < REFILL ? FULL_MS : 0;
  }

  const job = startBackgroundJob({
    work: claim,
    logger,
    failure: 'deliveries could not be claimed',
  });
  return {
    wake: job.wake,
    async stop() {
      await job.stop();
      await Promise.all(sending.values());
      await recorder.finish();
      await integrations.close();
    },
  };
}

/**
 * Tests say nothing of a product, and a secret that we cannot open is no fault of its own. A later
 * run of a delivery had its first attempt before.
 */
function isCounted(delivery: ClaimedDelivery, { error }: Outcome): boolean {
  const { run, step, eventName, isExample } = delivery;
  const isFirst = run === 1 && step === 0;
  return isFirst && !isExample && eventName !== TEST_EVENT && error !== 'signing';
}

type RecorderParts = Pick<Parts, 'database' | 'logger'> & {
  onRecorded(): void;
  /** More outcomes are about to come. */
  isBurst(): boolean;
};

/** Records the outcomes that came meanwhile in one statement. */
function createRecorder({ onRecorded, isBurst, ...services }: RecorderParts) {
  const isDue = () => gathered.length >= BATCH_SIZE || !isBurst();
  let due = createNotifier();
  let gathered: SentDelivery[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (gathered.length > 0) {
      due = createNotifier(); // a notification during the statement before is over
      if (!isDue()) await due.wait(GATHERING_MS);
      const batch = gathered;
      gathered = [];
      // Until the lease is about to end: after that another claim repeats the attempt.
      const recording = recordAttempts(services, { sent: batch, maxTries: RECORD_TRIES });
      await recording.then(onRecorded, () => undefined);
    }
    flushing = undefined;
  }

  return {
    record(sent: SentDelivery): void {
      gathered.push(sent);
      if (isDue()) due.notify();
      flushing ??= flush();
    },
    finish: async () => flushing,
  };
}
