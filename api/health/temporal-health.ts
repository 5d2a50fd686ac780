import { Connection } from '@temporalio/client';
import type { TemporalHealth } from '../services.ts';

const PATIENCE_MS = 1_000;

/** Connects when first asked, and again by itself. */
export function watchTemporal(address: string): TemporalHealth & { close(): Promise<void> } {
  const connection = Connection.lazy({
    address,
    interceptors: [],
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 2_000,
    },
  });
  return {
    async isReachable() {
      try {
        await connection.withDeadline(Date.now() + PATIENCE_MS, () =>
          connection.workflowService.getSystemInfo({}),
        );
        return true;
      } catch {
        return false;
      }
    },
    close: () => connection.close(),
  };
}
