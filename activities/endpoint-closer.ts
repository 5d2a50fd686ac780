// Holds or cancels the deliveries of endpoints that were disabled or deleted, and wakes those in trouble.
import { createBell } from '../domain/platform/outbox/bell.ts';
import type { Database } from '../domain/platform/database.ts';
import type { Logger } from '../domain/platform/process/log.ts';
import { settleClosedEndpoints } from '../domain/webhooks/endpoint-closing.store.ts';

export type EndpointCloser = { stop(): Promise<void> };

const POLL_MS = 1_000;

export function startEndpointCloser(parts: { database: Database; logger: Logger }): EndpointCloser {
  const { database, logger } = parts;
  const bell = createBell();
  const stopping = new AbortController();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const moved = await settleClosedEndpoints(database.pool);
        if (moved === 0) await bell.wait(POLL_MS);
      } catch (fault) {
        logger.warn({ err: fault }, 'deliveries of closed endpoints could not be settled');
        await bell.wait(POLL_MS);
      }
    }
  }

  const loop = run();
  return {
    async stop() {
      stopping.abort();
      bell.ring();
      await loop;
    },
  };
}
