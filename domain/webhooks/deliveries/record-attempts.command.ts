import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/log.ts';
import { recordOutcomes, type SentDelivery } from './record-attempts.query.ts';

const PAUSE_MS = 1_000;

/**
 * Records the outcomes of attempts in one statement. A sent delivery is not sent again because the
 * database was away for a moment.
 */
export async function recordAttempts(
  { database, logger }: { database: Pick<Database, 'pool'>; logger: Pick<Logger, 'warn'> },
  { sent, maxTries }: { sent: readonly SentDelivery[]; maxTries: number },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const lost = sent.length - (await recordOutcomes(database.pool, sent));
      if (lost > 0) {
        const message = 'outcomes were not recorded: their lease was taken over or has ended';
        logger.warn({ lost }, message);
      }
      return;
    } catch (error) {
      logger.warn({ err: error, count: sent.length }, 'outcomes could not be recorded');
      if (tries === maxTries) throw error;
      await pause(PAUSE_MS);
    }
  }
}
