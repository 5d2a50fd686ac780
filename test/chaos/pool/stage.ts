// A worker and a payment simulator of their own for each run, beside engines that may be killed.
import { createProcessor, type Processor } from '../../../clients/processor/processor.ts';
import { resolvePorts } from '../../../dev/ports.ts';
import { createTokenSigner } from '../../../domain/shared/secrets.ts';
import { startSimulator } from '../../../packages/simulator/main.ts';
import { readSecretKeys } from '../../../platform/config.ts';
import type { TestDatabase } from '../../support/engines/database.ts';
import { createProcess, type Process } from '../../support/engines/platform.ts';

const HOST = '127.0.0.1';
const SECRETS = { secretKey: 'sk_test_pool', webhookSecret: 'whsec_pool' };
const KEY = Buffer.alloc(32, 1).toString('base64');
/** Signs as the console would: with the key of the worker. */
export const SIGNER = createTokenSigner(readSecretKeys(`k1:${KEY}`));
// Nobody listens there.
const NOWHERE = `http://${HOST}:9`;

export type Stage = {
  processor: Processor;
  openSimulator(database: TestDatabase): Promise<{ stop(): Promise<void> }>;
  createWorker(database: TestDatabase): Process;
};

export async function prepareStage(temporalAddress: string): Promise<Stage> {
  const { simulator: port } = await resolvePorts({ simulator: 0 });
  const url = `http://${HOST}:${port}`;
  const log = { format: 'json', level: 'silent' } as const;
  return {
    processor: createProcessor({ kind: 'simulator', apiUrl: url, ...SECRETS }),
    openSimulator: ({ ownUrl }) =>
      startSimulator({
        databaseUrl: ownUrl,
        port,
        hosts: [HOST],
        url,
        ...SECRETS,
        webhookUrl: `${NOWHERE}/events`,
        log,
      }),
    createWorker: ({ url: databaseUrl }) =>
      createProcess('worker/main.ts', {
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: temporalAddress,
        TASK_QUEUE_PREFIX: 'pool-',
        BASE_URL: NOWHERE,
        LISTEN_HOSTS: HOST,
        METRICS_HOST: HOST,
        METRICS_PORT: '0',
        SECRET_KEYS: `k1:${KEY}`,
        SMTP_URL: 'smtp://127.0.0.1:9',
        ALLOW_SIMULATOR: 'true',
        SIMULATOR_URL: url,
        SIMULATOR_SECRET_KEY: SECRETS.secretKey,
        SIMULATOR_WEBHOOK_SECRET: SECRETS.webhookSecret,
        LOG_LEVEL: 'info',
      }),
  };
}
