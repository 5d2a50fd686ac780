import type { Processor } from '../clients/processor/processor.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/log.ts';
import {
  createIntegrationRecorder,
  type IntegrationRecorder,
} from '../domain/seal/integration-counts.repository.ts';
import type { UsageRecorder } from '../domain/usage/usage-recorder.command.ts';
import { createAddressPolicy, type AddressPolicy } from '../domain/shared/public-address.ts';
import {
  createEncryptor,
  createTokenSigner,
  type Encryptor,
  type TokenSigner,
} from '../domain/shared/secrets.ts';
import { readOwnAddresses } from '../platform/own-addresses.ts';
import { createKnownBadges, type KnownBadges } from './storefront/known-badges.ts';
import { createKnownShelves, type KnownShelves } from './storefront/known-shelves.ts';
import { createLimiters, DEFAULT_LIMITS, type Limiters, type Limits } from './http/limits.ts';

/** All that routes may reach; given at composition. */
export type Services = {
  config: Pick<
    Config,
    | 'baseUrl'
    | 'secretKeys'
    | 'processor'
    | 'isProxyTrusted'
    | 'temporal'
    | 'verificationTime'
    | 'webhooks'
    | 'isOperatorPasskeyRequired'
    | 'supportEmail'
  >;
  database: Database;
  processor: Processor;
  logger: Logger;
  temporal: TemporalHealth | null;
  limits: Limits;
  limiters: Limiters;
  signer: TokenSigner;
  usage: UsageRecorder;
  /** What becomes of sign-ins, by product. */
  integrations: IntegrationRecorder;
  encryptor: Encryptor;
  /** What badges have said within the last minute. */
  knownBadges: KnownBadges;
  /** What stands on the shelves of the store's first page. */
  shelves: KnownShelves;
  /** Decides which addresses endpoints may have. */
  addresses: AddressPolicy;
};

export type ServiceOptions = Pick<
  Services,
  'config' | 'database' | 'processor' | 'logger' | 'usage'
> & {
  temporal?: Services['temporal'];
  /** One that the caller closes. */
  integrations?: IntegrationRecorder;
  /** Replaces how long the shelves of the store are kept. */
  shelvesKeptMs?: number;
  /** Replaces limits where a race or a bench needs other ones. */
  limits?: Partial<Limits>;
};

export function createServices(options: ServiceOptions): Services {
  const { secretKeys, webhooks } = options.config;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  return {
    ...options,
    temporal: options.temporal ?? null,
    integrations:
      options.integrations ?? createIntegrationRecorder(options.database, options.logger),
    limits,
    limiters: createLimiters(options.database.pool, limits),
    signer: createTokenSigner(secretKeys),
    encryptor: createEncryptor(secretKeys),
    knownBadges: createKnownBadges(),
    shelves: createKnownShelves(options.database, options.shelvesKeptMs),
    addresses: createAddressPolicy({ ...webhooks, ownAddresses: readOwnAddresses() }),
  };
}

export type TemporalHealth = { isReachable(): Promise<boolean> };
