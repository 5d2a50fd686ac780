// What the generator is told and what it tells back.

export type Request = {
  /** Other than the job's. */
  method?: 'GET' | 'POST';
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
};

export type Job = {
  /** Of the processes that share the work; each connection is to one of them, in turn. */
  origins: string[];
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

export type Load = {
  count: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
};

export type Report = { load: Load } | { fault: string };
