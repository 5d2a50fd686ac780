import type { Context, Middleware } from 'koa';
import { HttpError } from './errors.ts';

/** Returns null for a target that is not a path, such as the absolute URL of a proxy request. */
export function pathOf(ctx: Context): string | null {
  try {
    return ctx.path;
  } catch {
    return null;
  }
}

export function isApiPath(path: string): boolean {
  return path.startsWith('/api/');
}

/** The router needs a path that it can match and decode. */
export function requestTarget(): Middleware {
  return (ctx, next) => {
    const path = pathOf(ctx);
    if (path === null) throw invalid('The request target is not an address.');
    if (!isDecodable(path)) throw invalid('The path cannot be decoded.');
    return next();
  };
}

function invalid(message: string): HttpError {
  return new HttpError('invalid_request', { message });
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
