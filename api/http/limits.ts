import type pg from 'pg';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { RequestLimiter } from '../../domain/limits/rate-window.query.ts';
import { WIDER_NETWORKS } from './caller-address.ts';

// Fixed windows of one minute of the database's clock, shared by all processes.

export const LIMITS = {
  /** All reads of /api/v1 together. */
  api_reads: { perMinute: 600, scope: 'credential' },
  usage_reports: { perMinute: 6_000, scope: 'credential' },
  unknown_credential: { perMinute: 600, scope: 'address' },
  /**
   * The requests of one registered client: proven ones, and for each address the others. Requests
   * that name none share their address's limit.
   */
  token: { perMinute: 60, scope: 'client_id' },
  revoke: { perMinute: 60, scope: 'client_id' },
  /** Token and revocation requests that are not proven. */
  client_unproven: { perMinute: 600, scope: 'address' },
  authorize: { perMinute: 120, scope: 'address' },
  buy: { perMinute: 120, scope: 'address' },
  badge: { perMinute: 120, scope: 'address' },
  search: { perMinute: 120, scope: 'address' },
  /** The destinations after sign-in. A request over this limit is served without one. */
  pre_session: { perMinute: 120, scope: 'address' },
  sign_in: { perMinute: 60, scope: 'address' },
  sign_up: { perMinute: 20, scope: 'address' },
  mail_request: { perMinute: 20, scope: 'address' },
  settings: { perMinute: 120, scope: 'credential' },
  /** Granting and revoking the access of apps: each is a webhook to the product of the app. */
  app_access: { perMinute: 10, scope: 'credential' },
} as const;

/** How often a password may be wrong within 15 minutes of the first time. */
const FAILURES = { account_failures: 10, device_failures: 10, address_failures: 30 } as const;

const MINUTE_S = 60;

/**
 * A minute, address and process: views of pages that have no limit of their own, signed in or not, and
 * of pictures of products, of which a page has dozens.
 */
const VIEWS = { pages: 600, pictures: 6_000 } as const;

export type ViewLimit = keyof typeof VIEWS;

export type LimitName = keyof typeof LIMITS;

/** Requests per minute by bucket, and failed sign-ins. */
export type Limits = Record<LimitName | keyof typeof FAILURES | ViewLimit, number>;

export const DEFAULT_LIMITS = {
  ...Object.fromEntries(Object.entries(LIMITS).map(([name, { perMinute }]) => [name, perMinute])),
  ...FAILURES,
  ...VIEWS,
} as Limits;

export type Limiters = {
  requests: Record<LimitName, RequestLimiter>;
  /** The limiters of the networks around an IPv6 address, in the order of `WIDER_NETWORKS`. */
  networks: Record<LimitName, RequestLimiter[]>;
  /** Count in the process: too many pages cost no statement. */
  views: Record<ViewLimit, RateLimiterMemory>;
};

export function createLimiters(pool: pg.Pool, limits: Limits): Limiters {
  const names = Object.keys(LIMITS) as LimitName[];
  const limiterOf = (name: LimitName, times = 1) =>
    new RequestLimiter(pool, { name, limit: limits[name] * times });
  const requests = names.map((name) => [name, limiterOf(name)]);
  const networks = names.map((name) => [
    name,
    WIDER_NETWORKS.map(({ times }) => limiterOf(name, times)),
  ]);
  return {
    requests: Object.fromEntries(requests),
    networks: Object.fromEntries(networks),
    views: {
      pages: new RateLimiterMemory({ points: limits.pages, duration: MINUTE_S }),
      pictures: new RateLimiterMemory({ points: limits.pictures, duration: MINUTE_S }),
    },
  };
}
