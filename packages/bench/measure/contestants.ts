import type { Contestant } from './contest.ts';
import { grantCodes, issueTokens } from '../data/oauth.ts';
import { PRODUCTS } from '../data/catalog.ts';
import { PEOPLE, personIdOf } from '../data/people.ts';
import { STORE_PRODUCTS } from '../data/store.ts';
import type { Stage } from '../stage.ts';

const CODES_PER_LOAD = 15_000;
const REPORTS_PER_LOAD = 30_000;
const CHECKS = 20_000;
const READERS = 10_000;
const REPORT = '{"kind":"activity"}';
/** Shares no factor with the number of people, and leaves 1 over the number of products. */
const STRIDE = 17_001;

/** The number of addresses: none reaches its limit, however fast pages and badges come. */
const VISITORS = 60_000;

const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } });

/** The key by its hash, read by a bare server. */
export async function bareRead(stage: Stage): Promise<Contestant> {
  const { keys } = await stage.data.catalog();
  return { server: 'r1', method: 'GET', path: '/', requests: async () => keys.map(bearer) };
}

/** One committed row, written by a bare server. */
export async function bareWrite(stage: Stage): Promise<Contestant> {
  const { keys } = await stage.data.catalog();
  await stage.pool.query(
    `create schema if not exists bench;
     create table if not exists bench.written
       (id bigint generated always as identity primary key, key_hash bytea not null)`,
  );
  return { server: 'w1', method: 'POST', path: '/', requests: async () => keys.map(bearer) };
}

/** Each key in turn, about somebody who bought its product. */
export async function entitlementCheck(stage: Stage): Promise<Contestant> {
  await stage.data.entitlements();
  const { keys } = await stage.data.catalog();
  const requests = Array.from({ length: CHECKS }, (_, index) => ({
    query: `?user_id=${personIdOf(((index * STRIDE) % PEOPLE) + 1)}`,
    ...bearer(keys[index % keys.length]!),
  }));
  const path = '/api/v1/entitlements';
  return { server: 'api', method: 'GET', path, requests: async () => requests };
}

/** Checks at a process that keeps no log of requests. */
export async function entitlementCheckWithoutLog(stage: Stage): Promise<Contestant> {
  return { ...(await entitlementCheck(stage)), server: 'api-without-log' };
}

/** People who come back within the day: warming up commits their evidence, P12 measures that. */
export async function profileRead(stage: Stage): Promise<Contestant> {
  await stage.data.entitlements();
  const { tokens } = await stage.data.oauth();
  const requests = tokens.slice(0, READERS).map(bearer);
  return { server: 'api', method: 'GET', path: '/api/v1/me', requests: async () => requests };
}

export async function userinfo(stage: Stage): Promise<Contestant> {
  const { tokens } = await stage.data.payloads();
  const requests = async () => tokens.map(bearer);
  return { server: 'oidc-provider', method: 'GET', path: '/me', requests };
}

/** Each of better-auth's keys in turn. */
export async function keyVerification(stage: Stage): Promise<Contestant> {
  const { keys } = await stage.data.verifiableKeys();
  return {
    server: 'better-auth',
    method: 'GET',
    path: '/',
    requests: async () => keys.map(bearer),
  };
}

const slugs = Array.from({ length: PRODUCTS }, (_, index) => `product-${index}`);

/** The page of each product in turn, each time for a visitor from another address who has not signed in. */
export const productPage = (stage: Stage) => visitProducts(stage, (slug) => `/p/${slug}`);

/** The badge of each product in turn, each time for a visitor from another address. */
export const badge = (stage: Stage) => visitProducts(stage, (slug) => `/p/${slug}/badge`);

async function visitProducts(stage: Stage, pathOf: (slug: string) => string): Promise<Contestant> {
  await stage.data.storefront();
  return visit((index) => pathOf(slugs[index % PRODUCTS]!));
}

/** Each visitor comes from another address. */
function visit(pathOf: (visitor: number) => string): Contestant {
  const requests = Array.from({ length: VISITORS }, (_, index) => ({
    path: pathOf(index),
    headers: { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` },
  }));
  return { server: 'api', method: 'GET', path: '/', requests: async () => requests };
}

const STORE_PAGES = 10_000;

/** Pages of a store of 100,000 products in turn. */
export async function storePage(stage: Stage): Promise<Contestant> {
  await stage.data.store();
  const step = STORE_PRODUCTS / STORE_PAGES;
  return visit((index) => `/p/store-${(index % STORE_PAGES) * step}`);
}

/** The first page of the same store. */
export async function storeHome(stage: Stage): Promise<Contestant> {
  await stage.data.store();
  return visit(() => '/');
}

/** Shows the same products by a bare Koa application, with one prepared statement each. */
export async function barePage(stage: Stage): Promise<Contestant> {
  await stage.data.storefront();
  const requests = slugs.map((slug) => ({ path: `/p/${slug}` }));
  return { server: 'bare-page', method: 'GET', path: '/', requests: async () => requests };
}

/** Each report is the first of its person and day, so that each is a row to be committed. */
export async function usageReport(stage: Stage): Promise<Contestant> {
  await stage.data.oauth();
  await stage.pool.query('truncate usage_month');
  let reported = 0;
  return {
    server: 'api',
    method: 'POST',
    path: '/api/v1/usage',
    headers: { 'content-type': 'application/json' },
    isOnce: true,
    async requests() {
      const given = { after: reported, count: REPORTS_PER_LOAD };
      reported += REPORTS_PER_LOAD;
      const tokens = await issueTokens(stage.pool, given);
      return tokens.map((token) => ({ ...bearer(token), body: REPORT }));
    },
  };
}

/** Checks, profiles and reports in turn, with every credential. */
export async function mixedRequests(stage: Stage): Promise<Contestant> {
  const check = await entitlementCheck(stage);
  const profile = await profileRead(stage);
  const [checks, profiles] = await Promise.all([check.requests(), profile.requests()]);
  const report = { path: '/api/v1/usage', method: 'POST', body: REPORT } as const;
  const requests = checks.flatMap((asked, index) => {
    const read = profiles[index % profiles.length]!;
    const headers = { ...read.headers, 'content-type': 'application/json' };
    return [asked, { ...read, path: profile.path }, { ...report, headers }];
  });
  return { ...check, requests: async () => requests, isOnce: true };
}

/** A confidential client with HTTP Basic; each request has a code of its own. */
export async function tokenExchange(stage: Stage): Promise<Contestant> {
  const { secret, redirectUri } = await stage.data.oauth();
  return {
    server: 'api',
    method: 'POST',
    path: '/api/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    isOnce: true,
    async requests() {
      const granted = await grantCodes(stage.pool, CODES_PER_LOAD);
      return granted.map(({ code, clientId }) => ({
        headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          redirect_uri: redirectUri,
          code,
        }).toString(),
      }));
    },
  };
}
