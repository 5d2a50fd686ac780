import type { Route } from '../route.ts';

const EXPOSED = [
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-request-id',
].join(', ');

type Headers = Readonly<Record<string, string>>;

/** CORS without credentials, for routes that read none of the browser's own; undefined for all others. */
export function allowOtherOrigins(
  routes: readonly Route[],
): (asked: { method: string; path: string }) => Headers | undefined {
  const open = routes.filter(({ isCrossOrigin }) => isCrossOrigin);
  const methods = new Map(open.map(({ path, method }) => [path, method]));
  return ({ method, path }) => {
    const allowed = methods.get(path);
    if (allowed === undefined || method !== 'OPTIONS') return allowed && ANY_ORIGIN;
    return {
      ...ANY_ORIGIN,
      'access-control-allow-methods': allowed,
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    };
  };
}

const ANY_ORIGIN: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};
