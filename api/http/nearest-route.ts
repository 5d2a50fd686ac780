// The route that a caller of the API meant, where the path is nearly one.
import type { Route } from './route.ts';

type Named = Pick<Route, 'method' | 'path'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;
const LONGEST = 100;

/** The one route of the reference that the path is nearly; null where there is none, or several. */
export function findNearestRoute(path: string, routes: readonly Route[]): Named | null {
  if (path.length > LONGEST) return null;
  const asked = coreOf(path);
  const named = routes.filter(
    (route) => route.documentation !== undefined && !route.path.includes(':'),
  );
  const exact = named.filter((route) => coreOf(route.path) === asked);
  const ending = named.filter((route) => coreOf(route.path).endsWith(`/${asked}`));
  const close = named.filter((route) => isClose(coreOf(route.path), asked));
  const [only, ...others] = [exact, ending, close].find((found) => found.length > 0) ?? [];
  return only && others.length === 0 ? only : null;
}

/**
 * The path without version, ids, capitals and plurals: `entitlement` of `/api/v1/entitlements/`.
 */
function coreOf(path: string): string {
  const parts = path.toLowerCase().split('/').filter(Boolean);
  const isNamed = (part: string) => part !== 'api' && !/^v\d+$/.test(part) && !UUID.test(part);
  return parts
    .filter(isNamed)
    .map((part) => part.replace(/s$/, ''))
    .join('/');
}

/** One letter wrong in five, at most two. */
function isClose(known: string, asked: string): boolean {
  const most = Math.min(2, Math.floor(known.length / 5));
  return Math.abs(known.length - asked.length) <= most && distance(known, asked) <= most;
}

/** Letters to add, leave out or replace. */
function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = previous[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[other.length]!;
}
