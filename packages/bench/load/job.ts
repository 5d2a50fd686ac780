// What the generators are told and what they tell back.

export type Request = {
  /** Replaces the job's method. */
  method?: 'GET' | 'POST';
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
};

type Work = {
  method: 'GET' | 'POST';
  path: string;
  /** Sent with each request. */
  headers: Record<string, string>;
  /** Taken in turn by all connections. */
  requests: Request[];
  /** Each is sent once, and the job is over when none is left. */
  isOnce: boolean;
  connections: number;
  durationMs: number;
};

/** `origins`: of the processes that share the work; each connection is to one of them, in turn. */
export type Job = Work & { origins: string[] };

/** What one generator does of it. */
export type Share = Work & { origin: string };

export type Load = {
  count: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
};

/** `latenciesMs`: of each request that was answered. */
export type Done = { seconds: number; latenciesMs: number[] };
