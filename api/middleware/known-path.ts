import type { Context, Next } from 'koa';
import { Failure } from '../errors.ts';
import type { RouterOf } from '../routers.ts';

/** Unknown path 404, then unknown method 405; `OPTIONS` tells the methods and costs nothing. */
export function requireKnownPath(routerOf: RouterOf) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!isDecodable(ctx.path)) {
      throw new Failure('invalid_request', { message: 'The path cannot be decoded.' });
    }
    if (ctx.req.httpVersion === '1.1' && !ctx.req.headers.host) {
      throw new Failure('invalid_request', { message: 'The Host header is missing.' });
    }
    if (routerOf(ctx.path).match(ctx.path, ctx.method).route) return next();
    const allow = methodsOf(routerOf, ctx.path);
    if (allow.length === 0) throw new Failure('not_found');
    if (ctx.method === 'OPTIONS') {
      ctx.set('allow', allow.join(', '));
      ctx.status = 204;
      return;
    }
    throw methodNotAllowed(allow);
  };
}

/** For requests whose method Node's parser does not know. */
export function refuseMethod(routerOf: RouterOf, path: string): Failure {
  const allow = isDecodable(path) ? methodsOf(routerOf, path) : [];
  return allow.length === 0 ? new Failure('not_found') : methodNotAllowed(allow);
}

function methodNotAllowed(allow: string[]): Failure {
  return new Failure('method_not_allowed', { headers: { allow: allow.join(', ') } });
}

function methodsOf(routerOf: RouterOf, path: string): string[] {
  const methods = routerOf(path)
    .match(path, 'OPTIONS')
    .path.flatMap((layer) => layer.methods);
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].toSorted();
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
