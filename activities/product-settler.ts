// Withdraws the access to products that were removed, and closes their endpoints once these were told.
import {
  closeRemovedEndpoints,
  withdrawRemoved,
} from '../domain/entitlements/removed-product.store.ts';
import { createBell } from '../domain/platform/outbox/bell.ts';
import type { Database } from '../domain/platform/database.ts';
import type { Logger } from '../domain/platform/process/log.ts';

export type ProductSettler = { stop(): Promise<void> };

const POLL_MS = 5_000;

type Parts = { database: Database; logger: Logger; pollMs?: number };

export function startProductSettler({ database, logger, ...given }: Parts): ProductSettler {
  const bell = createBell();
  const stopping = new AbortController();
  const pollMs = given.pollMs ?? POLL_MS;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if ((await withdrawRemoved(database)) > 0) continue;
        await closeRemovedEndpoints(database.em());
      } catch (fault) {
        logger.warn({ err: fault }, 'removed products could not be settled');
      }
      await bell.wait(pollMs);
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
