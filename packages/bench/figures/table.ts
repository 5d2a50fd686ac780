// What each figure measures and what it must reach, in the order of the measurements.
import type { Figure } from '../figure.ts';

type Row = Omit<Figure, 'id'>;

const atLeast = (must: number, stretch: number | null, what: string): Row => ({
  what,
  bounds: { must, stretch, better: 'higher' },
});

const atMost = (must: number, stretch: number | null, what: string): Row => ({
  what,
  bounds: { must, stretch, better: 'lower' },
});

const TABLE = {
  R1: { what: 'reference: bare server, one prepared read, req/s', bounds: null },
  P1: atLeast(0.65, 0.9, 'entitlement check, 32 connections, req/s / R1'),
  P2: atMost(1.3, 0.9, 'the same: CPU of Node and PostgreSQL per request / R1'),
  P3: atMost(2, 1.4, 'the same: p99 / R1'),
  P4: atMost(1.8, 1.4, 'entitlement check, one connection: p50 / R1'),
  P5: atLeast(0.35, 0.4, 'entitlement check, four connections: req/s / R1'),
  P6: atLeast(0.9, 1.3, 'entitlement check, two processes, 64 connections: req/s / R1 with two'),
  P7: atLeast(0.55, 0.85, 'profile read with limiter, req/s / R1'),
  P8: atLeast(2, 3, 'profile read / oidc-provider userinfo on PostgreSQL, req/s'),
  P9: atLeast(6, 10, 'entitlement check / better-auth verifyApiKey with its limiter, req/s'),
  W1: { what: 'reference: bare server, one committed insert, req/s', bounds: null },
  P12: atLeast(0.8, 1.8, 'usage report, committed before the answer, req/s / W1'),
  P13: atLeast(0.65, 0.9, 'token exchange, req/s / W1'),
  Q1: atLeast(0.95, 0.99, 'entitlement check, 32 connections, req/s / without the log of requests'),
  Q4: atMost(1.05, 1.01, 'entitlement check, one connection: p50 / without the log of requests'),
  S1: atLeast(0.6, 0.8, 'product page, req/s / a bare Koa page with one prepared SELECT'),
  S2: atLeast(0.8, 0.8, 'badge with limiter, req/s / a bare Koa page with one prepared SELECT'),
  P10: atLeast(2.5, 4, 'limiter alone / RateLimiterPostgres on an unlogged table, calls/s'),
  P11: atMost(0, null, 'of 2,000 requests with a revoked credential, accepted'),
  P14: atLeast(
    0.35,
    0.55,
    'webhook first attempts, event row to recorded 2xx, 200 endpoints of two owners / bare undici, deliveries/s',
  ),
  P14Q: atLeast(1, 1.5, 'the same / the better of pg-boss and graphile-worker'),
  P15: atMost(
    2,
    1.2,
    '100 endpoints, one hangs 10 s and gets 20 % of 200 events/s: p95 of the others / without it',
  ),
  P16: atMost(8, 3, 'event committed to receiver hit, 20 events/s, p50 ms'),
  'P16-P99': atMost(30, 10, 'the same, p99 ms'),
  P17: atLeast(
    0.4,
    0.6,
    'retries without a wait, recorded / workflows with one empty activity, per second',
  ),
  P18A: atLeast(0.9, 1, 'P1 with 10,000,000 entitlements / with 1,000,000'),
  P18B: atMost(1.5, 1.1, 'delivery list page at 10,000,000 deliveries / at 10,000'),
  P19A: atMost(150, 100, 'idle memory of the API, MiB'),
  P19W: atMost(400, 250, 'idle memory of the worker, MiB'),
  P20: atMost(
    1_000,
    100,
    "80 endpoints of one owner answer after 9.5 s, 1,200 deliveries: another's first attempt, p95 ms",
  ),
  S3: atLeast(20, 40, 'purchases/s through simulator and clearing, until the last has cleared'),
  S4: atMost(500, 150, "20 purchases/s: processor's event to entitlement, p50 ms"),
  W11: atMost(
    20,
    5,
    'claim of 32 first attempts with 1,000,000 waiting, half of them at one endpoint, ms',
  ),
  L1: atMost(
    2,
    1.3,
    '100 purchases clear while 2,000 first attempts fail at one endpoint: p50 / undisturbed',
  ),
  G4: atMost(5, 1, 'dropping a month of 10,000,000 attempts, s'),
  G5A: atMost(
    10,
    5,
    'one endpoint down, 500 first attempts a second fail for 60 s: delivery workflows started/s',
  ),
  G5B: atMost(2, 1.2, 'the same: clearing p50 / undisturbed'),
  G6: atMost(5, 1, "a quiet owner's retry behind 10,000 due retries of another: late by, p95 s"),
  G9: atMost(
    600,
    150,
    'usage evidence of a person, product and month on 10 days, with indexes, bytes',
  ),
  M1A: atMost(1.1, null, 'API heap after collection, after 200,000 mixed requests / before'),
  M1W: atMost(1.1, null, 'worker heaps after collection, after 200,000 mixed requests / before'),
  U4: atMost(60, 25, 'usage page of a product with 1,000,000 qualified days in the month, p50 ms'),
  F1: atMost(
    8,
    4,
    'overview of 90 days, 10,000 customers, 1,000,000 deliveries and 10,000,000 checks a month: p50 / a bare SELECT of 270 rows',
  ),
  B1: atMost(
    1.1,
    1.05,
    'heaps of the worker after collection, with 10,000 live subscriptions / with 500',
  ),
  B2: atMost(
    300,
    90,
    '1,000 of 10,000 subscriptions due within a minute: all renewed and told of, s',
  ),
  B3: atLeast(0.8, 0.95, 'P1 while they are renewed / P1 before, each over R1 under the same load'),
  U1S: atMost(
    120,
    45,
    'a month of 100,000 Members, 2,000 products, 3,000,000 days frozen and computed, in seconds',
  ),
  U1M: atMost(
    200,
    null,
    'a month of 100,000 Members, 2,000 products, 3,000,000 days frozen and computed, peak memory above idle, MiB',
  ),
  U1P: atMost(
    1.5,
    null,
    "P1's p99 while a month of 20,000 Members is frozen and computed / without",
  ),
  U2: atMost(11, null, 'the same with ten times the days / with the days of U1, time'),
  U3: atLeast(200_000, 500_000, 'pool computed from a snapshot of 1,100,002 lines, lines/s'),
  T1A: atMost(18, 6, 'search of 100,000 products, a word in 50: p50 / a bare SELECT of 24 rows'),
  T1B: atMost(55, 30, 'the same, a word in 1,000'),
  T1C: atMost(20, 8, 'the same, a word in 10,000'),
  T1D: atMost(18, 8, 'the same, a word in 80,000'),
  T1E: atMost(350, 150, 'the same, a misspelt name'),
  T1F: atMost(
    1_000,
    200,
    'the same, 1,000 queries of common and of rare words: p99 / the bare p50',
  ),
  T4A: atMost(80, 40, 'a page of 600 KB read for an import: CPU of the worker, in ms'),
  T4B: atMost(50, null, 'the same: the longest block of the event loop, in ms'),
  T4C: atMost(30, null, 'the same: memory beyond that of an idle process, in MiB'),
  U5: atMost(
    60,
    20,
    'quality seals of 10,000 products with 2,400,000 days of use reviewed, in seconds',
  ),
};

export type FigureId = keyof typeof TABLE;

export const figures = (...ids: FigureId[]): Figure[] => ids.map((id) => ({ id, ...TABLE[id] }));
