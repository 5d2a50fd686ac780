import { setTimeout as pause } from 'node:timers/promises';
import type { ClaimedDelivery } from '../../domain/webhooks/dispatch/claim.query.ts';
import { recordAttempts, type SentDelivery } from '../../domain/webhooks/dispatch/record.query.ts';
import type { Services } from '../services.ts';

/**
 * Each may wait 2 seconds for a connection and 2 for the statement, after a send of 10: within the 35
 * of the activity.
 */
const MAX_TRIES = 2;
const PAUSE_MS = 1_000;

/** Sends claimed deliveries at once, and records their outcomes in one statement. */
export async function sendAndRecord(
  { database, claims, sender, logger }: Pick<Services, 'database' | 'claims' | 'sender' | 'logger'>,
  deliveries: readonly ClaimedDelivery[],
): Promise<void> {
  const send = async (delivery: ClaimedDelivery) => {
    const outcome = await sender.send(delivery);
    claims.throttle.note(delivery.endpointId, outcome.durationMs);
    return { delivery, outcome };
  };
  const sent = await Promise.all(deliveries.map(send));
  await recordWithRetry({ database, logger, sent, maxTries: MAX_TRIES });
}

/** What was sent is not sent again because the database was away for a moment. */
export async function recordWithRetry({
  database,
  logger,
  sent,
  maxTries,
}: Pick<Services, 'database' | 'logger'> & {
  sent: readonly SentDelivery[];
  maxTries: number;
}): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const lost = sent.length - (await recordAttempts(database.pool, sent));
      if (lost > 0)
        logger.warn(
          { lost },
          'outcomes were not recorded: their lease was taken over or has ended',
        );
      return;
    } catch (error) {
      logger.warn({ err: error, count: sent.length }, 'outcomes could not be recorded');
      if (tries === maxTries) throw error;
      await pause(PAUSE_MS);
    }
  }
}
