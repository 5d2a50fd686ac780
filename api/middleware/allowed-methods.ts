import type { Context } from 'koa';
import { Failure } from '../errors.ts';
import type { Answer } from '../route.ts';
import type { MethodsOf } from '../routers.ts';

/** Null where the target is no address: Node passes on what proxies are asked, read or not. */
export function pathOf(ctx: Context): string | null {
  try {
    return ctx.path;
  } catch {
    return null;
  }
}

export function requireTarget({ req }: Context, path: string | null): void {
  if (path === null) {
    throw new Failure('invalid_request', { message: 'The request target is not an address.' });
  }
  if (req.headers.host || req.httpVersion !== '1.1') return;
  throw new Failure('invalid_request', { message: 'The Host header is missing.' });
}

export function requireReadablePath(path: string): void {
  if (isDecodable(path)) return;
  throw new Failure('invalid_request', { message: 'The path cannot be decoded.' });
}

/** Unknown path 404, then unknown method 405; `OPTIONS` tells the methods and costs nothing. */
export function answerUnrouted(methodsOf: MethodsOf, { method, path }: Context): Answer {
  const allow = methodsOf(path);
  if (allow.length === 0) throw new Failure('not_found');
  if (method === 'OPTIONS') return { status: 204, headers: { allow: allow.join(', ') } };
  throw methodNotAllowed(allow);
}

/** For requests whose method Node's parser does not know. */
export function refuseMethod(methodsOf: MethodsOf, path: string): Failure {
  const allow = isDecodable(path) ? methodsOf(path) : [];
  return allow.length === 0 ? new Failure('not_found') : methodNotAllowed(allow);
}

function methodNotAllowed(allow: string[]): Failure {
  return new Failure('method_not_allowed', { headers: { allow: allow.join(', ') } });
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
