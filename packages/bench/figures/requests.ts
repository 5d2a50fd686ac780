// Requests of one kind against those of a bare server, or of what others run.
import type { Measurement } from '../figure.ts';
import { byCpu, byP50, byP99, byRequests, contest, type Contest } from '../measure/contest.ts';
import {
  badge,
  barePage,
  bareRead,
  bareWrite,
  entitlementCheck,
  entitlementCheckWithoutLog,
  keyVerification,
  productPage,
  profileRead,
  tokenExchange,
  usageReport,
  userinfo,
} from '../measure/contestants.ts';

const CONTESTS: readonly Contest[] = [
  {
    measured: entitlementCheck,
    reference: bareRead,
    figures: [
      {
        id: 'R1',
        what: 'reference: bare server, one prepared read, req/s',
        bounds: null,
        by: ({ reference }) => reference.requestsPerS,
      },
      {
        id: 'P1',
        what: 'entitlement check, 32 connections, req/s / R1',
        bounds: { must: 0.6, stretch: 0.9, better: 'higher' },
        by: byRequests,
      },
      {
        id: 'P2',
        what: 'the same: CPU of Node and PostgreSQL per request / R1',
        bounds: { must: 1.3, stretch: 0.9, better: 'lower' },
        by: byCpu,
      },
      {
        id: 'P3',
        what: 'the same: p99 / R1',
        bounds: { must: 2, stretch: 1.4, better: 'lower' },
        by: byP99,
      },
    ],
  },
  {
    measured: entitlementCheck,
    reference: bareRead,
    connections: 1,
    figures: [
      {
        id: 'P4',
        what: 'entitlement check, one connection: p50 / R1',
        bounds: { must: 1.8, stretch: 1.4, better: 'lower' },
        by: byP50,
      },
    ],
  },
  {
    measured: entitlementCheck,
    reference: bareRead,
    connections: 4,
    figures: [
      {
        id: 'P5',
        what: 'entitlement check, four connections: req/s / R1',
        bounds: { must: 0.3, stretch: 0.4, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: entitlementCheck,
    reference: bareRead,
    connections: 64,
    processes: 2,
    figures: [
      {
        id: 'P6',
        what: 'entitlement check, two processes, 64 connections: req/s / R1 with two',
        bounds: { must: 0.9, stretch: 1.3, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: profileRead,
    reference: bareRead,
    figures: [
      {
        id: 'P7',
        what: 'profile read with limiter, req/s / R1',
        bounds: { must: 0.55, stretch: 0.85, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: profileRead,
    reference: userinfo,
    figures: [
      {
        id: 'P8',
        what: 'profile read / oidc-provider userinfo on PostgreSQL, req/s',
        bounds: { must: 2, stretch: 3, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: entitlementCheck,
    reference: keyVerification,
    figures: [
      {
        id: 'P9',
        what: 'entitlement check / better-auth verifyApiKey with its limiter, req/s',
        bounds: { must: 6, stretch: 10, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: usageReport,
    reference: bareWrite,
    figures: [
      {
        id: 'W1',
        what: 'reference: bare server, one committed insert, req/s',
        bounds: null,
        by: ({ reference }) => reference.requestsPerS,
      },
      {
        id: 'P12',
        what: 'usage report, committed before the answer, req/s / W1',
        bounds: { must: 0.8, stretch: 1.8, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: tokenExchange,
    reference: bareWrite,
    figures: [
      {
        id: 'P13',
        what: 'token exchange, req/s / W1',
        bounds: { must: 0.6, stretch: 0.9, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: entitlementCheck,
    reference: entitlementCheckWithoutLog,
    isByNameOnly: true,
    figures: [
      {
        id: 'Q1',
        what: 'entitlement check, 32 connections, req/s / without the log of requests',
        bounds: { must: 0.95, stretch: 0.99, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: entitlementCheck,
    reference: entitlementCheckWithoutLog,
    connections: 1,
    isByNameOnly: true,
    figures: [
      {
        id: 'Q4',
        what: 'entitlement check, one connection: p50 / without the log of requests',
        bounds: { must: 1.05, stretch: 1.01, better: 'lower' },
        by: byP50,
      },
    ],
  },
  {
    measured: productPage,
    reference: barePage,
    figures: [
      {
        id: 'S1',
        what: 'product page, req/s / a bare Koa page with one prepared SELECT',
        bounds: { must: 0.5, stretch: 0.8, better: 'higher' },
        by: byRequests,
      },
    ],
  },
  {
    measured: badge,
    reference: barePage,
    figures: [
      {
        id: 'S2',
        what: 'badge with limiter, req/s / a bare Koa page with one prepared SELECT',
        bounds: { must: 0.5, stretch: 0.8, better: 'higher' },
        by: byRequests,
      },
    ],
  },
];

export const requests: readonly Measurement[] = CONTESTS.map(contest);
