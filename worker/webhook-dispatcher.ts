// Sends first attempts straight from their rows: a lease makes a crash repeat an attempt, nothing
// more.
import { setTimeout as pause } from 'node:timers/promises';
import { createNotifier, type Notifier } from './jobs/notifier.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import type { ClaimedDelivery } from '../domain/webhooks/dispatch/claim.query.ts';
import { recordAttempts, type SentDelivery } from '../domain/webhooks/dispatch/record.query.ts';
import type { Claims } from '../activities/webhooks/delivery-claims.ts';
import type { DeliverySender } from '../activities/webhooks/send-delivery.ts';

export type Dispatcher = {
  wake(): void;
  /** Claims nothing more, finishes and records the attempts under way. */
  stop(): Promise<void>;
};

type Parts = { database: Database; claims: Claims; sender: DeliverySender; logger: Logger };

/** Twice the limit of one owner. A request that waits for its response costs next to nothing. */
const PLACES = 1_024;
/** Those of slow endpoints. */
const SLOW_PLACES = PLACES / 4;
/** So many free places are worth a claim when more deliveries wait than places exist. */
const REFILL = 64;
const POLL_MS = 1_000;
const FULL_MS = 20;
const RECORD_TRIES = 8;
/** A statement costs as much as ten of its outcomes, so in a burst it waits for more of them. */
const ENOUGH = 128;
const GATHERING_MS = 10;

export function startDispatcher({ database, claims, sender, logger }: Parts): Dispatcher {
  const notifier = createNotifier();
  // A recorded attempt frees its place within the endpoint's limit.
  const onRecorded = () => isAtLimit && notifier.notify();
  const sending = new Map<ClaimedDelivery, Promise<void>>();
  const isBurst = () => isMore || isAtLimit;
  const recorder = createRecorder({ database, logger, onRecorded, isBurst });
  let isMore = true;
  let isAtLimit = false;
  let isStopping = false;

  async function send(delivery: ClaimedDelivery): Promise<void> {
    try {
      const outcome = await sender.send(delivery);
      claims.pace.note(delivery.endpointId, outcome.durationMs);
      recorder.record({ delivery, outcome });
    } catch (error) {
      logger.error({ err: error, deliveryId: delivery.id }, 'a delivery could not be sent');
    }
    sending.delete(delivery);
    if (isMore && PLACES - SLOW_PLACES - sending.size >= REFILL) notifier.notify();
  }

  function countFree(): { quick: number; slow: number } {
    const deliveries = [...sending.keys()];
    const slow = deliveries.filter(({ endpointId }) => claims.pace.isSlow(endpointId)).length;
    const free = PLACES - sending.size;
    const forSlow = Math.max(0, Math.min(free, SLOW_PLACES - slow));
    return { quick: free - forSlow, slow: forSlow };
  }

  async function claim(): Promise<void> {
    if (countFree().quick < REFILL) await notifier.wait(FULL_MS);
    const free = countFree();
    if (free.quick + free.slow === 0) return;
    const claimed = await claims.firstAttempts(free.quick, free.slow);
    ({ isMore, isAtLimit } = claimed);
    for (const delivery of claimed.deliveries) sending.set(delivery, send(delivery));
    if (!isMore) await notifier.wait(POLL_MS);
  }

  const loop = runUntil(() => isStopping, { work: claim, notifier, logger });
  return {
    wake: () => notifier.notify(),
    async stop() {
      isStopping = true;
      notifier.notify();
      await loop;
      await Promise.all(sending.values());
      await recorder.finish();
    },
  };
}

type Loop = { work: () => Promise<void>; notifier: Notifier; logger: Logger };

async function runUntil(isOver: () => boolean, { work, notifier, logger }: Loop): Promise<void> {
  while (!isOver()) {
    try {
      await work();
    } catch (error) {
      logger.warn({ err: error }, 'deliveries could not be claimed');
      await notifier.wait(POLL_MS);
    }
  }
}

type Recording = Pick<Parts, 'database' | 'logger'> & {
  onRecorded(): void;
  /** More outcomes are about to come. */
  isBurst(): boolean;
};

/** Records the outcomes that came meanwhile in one statement. */
function createRecorder({ database, logger, onRecorded, isBurst }: Recording) {
  const isDue = () => gathered.length >= ENOUGH || !isBurst();
  let due = createNotifier();
  let gathered: SentDelivery[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (gathered.length > 0) {
      due = createNotifier(); // a notification during the statement before is over
      if (!isDue()) await due.wait(GATHERING_MS);
      const batch = gathered;
      gathered = [];
      await recordPatiently(batch);
    }
    flushing = undefined;
  }

  // Until the lease is about to end: after that another claim repeats the attempt.
  async function recordPatiently(batch: SentDelivery[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await recordAttempts(database.pool, batch);
        return onRecorded();
      } catch (error) {
        logger.warn({ err: error, count: batch.length }, 'outcomes could not be recorded');
        if (tries === RECORD_TRIES) return;
        await pause(POLL_MS);
      }
    }
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
