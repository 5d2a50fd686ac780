import { DAY_MS } from '../../shared/instant.ts';

export const IMPORT_KINDS = ['page', 'repository'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export const IMPORT_STATES = [
  'queued',
  'fetching',
  'waiting',
  'ready',
  'refused',
  'applying',
  'applied',
  'expired',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** The states that lead to a state. A worker that was lost while it fetched fetches again. */
export const BEFORE: Record<Exclude<ImportState, 'queued'>, readonly ImportState[]> = {
  fetching: ['queued', 'waiting', 'fetching'],
  waiting: ['queued', 'fetching'],
  ready: ['fetching'],
  refused: ['queued', 'fetching', 'waiting'],
  applying: ['ready'],
  applied: ['applying'],
  expired: ['ready'],
};

/** Why an import found nothing. A private address reads like one that nobody listens on. */
export const IMPORT_REFUSALS = [
  'address_refused',
  'unreachable',
  'tls_failed',
  'timed_out',
  'bad_redirect',
  'redirect_loop',
  'too_many_redirects',
  'wrong_type',
  'unreadable_body',
  'not_found',
  'too_large',
  'forge_busy',
] as const;
export type ImportRefusal = (typeof IMPORT_REFUSALS)[number];

export const MOST_IMPORTS_AN_HOUR = 10;

/** Requests of an hour that a forge allows an address without credentials. */
export const MOST_REQUESTS_AN_HOUR = 60;
/** What one import of a repository uses at most. */
export const REQUESTS_OF_AN_IMPORT = 3;

const LONGEST_WAIT_MS = 3 * DAY_MS;

type Wait = { createdAt: Date; until: Date };

/** Decides whether an import waits for its forge: nobody looks after one that takes days. */
export function decideWait({ createdAt, until }: Wait) {
  const waitedMs = until.getTime() - createdAt.getTime();
  return waitedMs > LONGEST_WAIT_MS
    ? ({ to: 'refused', refusal: 'forge_busy' } as const)
    : ({ to: 'waiting', until } as const);
}
