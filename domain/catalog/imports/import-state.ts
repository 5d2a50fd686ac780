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

export const MOST_IMPORTS_AN_HOUR = 10;

/** Requests of an hour that a forge allows an address without credentials. */
export const MOST_REQUESTS_AN_HOUR = 60;
/** What one import of a repository uses at most. */
export const REQUESTS_OF_AN_IMPORT = 3;
