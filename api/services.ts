import type { Processor } from '../clients/processor/processor.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import type { UsageRecorder } from '../domain/usage/recorder.repository.ts';
import type { AddressPolicy } from '../domain/shared/public-address.ts';
import type { Sealer, TokenSigner } from '../domain/shared/secrets.ts';
import type { Limiters, Limits } from './limits.ts';

/** All that routes may reach; given at composition. */
export type Services = {
  config: Pick<
    Config,
    | 'baseUrl'
    | 'secretKeys'
    | 'processor'
    | 'isProxyTrusted'
    | 'temporal'
    | 'webhooks'
    | 'isOperatorPasskeyRequired'
  >;
  database: Database;
  processor: Processor;
  logger: Logger;
  temporal: TemporalHealth | null;
  limits: Limits;
  limiters: Limiters;
  signer: TokenSigner;
  usage: UsageRecorder;
  sealer: Sealer;
  /** Where endpoints may be. */
  addresses: AddressPolicy;
};

export type TemporalHealth = { isReachable(): Promise<boolean> };
