// One question, in bare gRPC: Temporal's own client would hold more memory than all our routes.
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { Config } from '../../platform/config.ts';
import type { TemporalHealth } from '../services.ts';

const TIMEOUT_MS = 1_000;
const QUESTION = '/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo';
const NO_FIELDS = Buffer.alloc(0);

const asIs = (message: Buffer) => message;

type Server = Pick<Config['temporal'], 'address' | 'namespace' | 'tls' | 'apiKey'>;

function toCredentials(tls: Server['tls']) {
  if (!tls) return credentials.createInsecure();
  const { serverRootCACertificate: ca, clientCertPair: own } = tls;
  return credentials.createSsl(ca ?? null, own?.key ?? null, own?.crt ?? null);
}

/** Connects when first asked, and again by itself. */
export function watchTemporal(server: Server): TemporalHealth & { close(): void } {
  const { address, namespace, tls, apiKey } = server;
  const metadata = new Metadata();
  if (apiKey !== undefined) {
    metadata.set('authorization', `Bearer ${apiKey}`);
    metadata.set('temporal-namespace', namespace);
  }
  const client = new Client(address, toCredentials(tls), {
    ...(tls?.serverNameOverride && { 'grpc.ssl_target_name_override': tls.serverNameOverride }),
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 2_000,
  });
  return {
    isReachable: () =>
      new Promise((resolve) => {
        const deadline = Date.now() + TIMEOUT_MS;
        client.makeUnaryRequest(QUESTION, asIs, asIs, NO_FIELDS, metadata, { deadline }, (error) =>
          resolve(error === null),
        );
      }),
    close: () => client.close(),
  };
}
