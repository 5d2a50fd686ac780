// One question, in bare gRPC: Temporal's own client would hold more memory than all our routes.
import { Client, credentials } from '@grpc/grpc-js';
import type { TemporalHealth } from '../services.ts';

const PATIENCE_MS = 1_000;
const QUESTION = '/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo';
const NO_FIELDS = Buffer.alloc(0);

const asIs = (message: Buffer) => message;

/** Connects when first asked, and again by itself. */
export function watchTemporal(address: string): TemporalHealth & { close(): void } {
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 2_000,
  });
  return {
    isReachable: () =>
      new Promise((resolve) => {
        const deadline = Date.now() + PATIENCE_MS;
        client.makeUnaryRequest(QUESTION, asIs, asIs, NO_FIELDS, { deadline }, (fault) =>
          resolve(fault === null),
        );
      }),
    close: () => client.close(),
  };
}
