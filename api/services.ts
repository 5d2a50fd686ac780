import type { Processor } from '../activities/clients/processor.ts';
import type { Config } from '../domain/platform/config.ts';
import type { Database } from '../domain/platform/database.ts';
import type { Logger } from '../domain/platform/process/log.ts';
import type { TokenSigner } from '../domain/platform/secrets.ts';
import type { UsageRecorder } from '../domain/usage/recorder.store.ts';
import type { Limits } from './limits.ts';

/** All that routes may reach; given at composition. */
export type Services = {
  config: Pick<
    Config,
    'baseUrl' | 'secretKeys' | 'processor' | 'feeBasisPoints' | 'isProxyTrusted' | 'temporal'
  >;
  database: Database;
  processor: Processor;
  logger: Logger;
  temporal: TemporalHealth | null;
  limits: Limits;
  signer: TokenSigner;
  usage: UsageRecorder;
};

export type TemporalHealth = { isReachable(): Promise<boolean> };
