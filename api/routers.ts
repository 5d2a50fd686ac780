import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { answerUnrouted, requireReadablePath } from './middleware/allowed-methods.ts';
import { serveRoute, type Serve } from './middleware/serve-route.ts';
import type { Answer, Route } from './route.ts';
import type { Services } from './services.ts';

export type MethodsOf = (path: string) => string[];

/** Where a path has no parameter its route is looked up; a router tries all of its patterns in turn. */
export function createRouters(routes: readonly Route[], services: Services) {
  const plain = new Map<string, Serve>();
  const patterns = new Router({ sensitive: true, strict: true });
  for (const route of routes) {
    const { method, path } = route;
    const serve = serveRoute(route, services);
    patterns.register(path, [method], serve as Middleware);
    if (path.includes(':')) continue;
    plain.set(`${method} ${path}`, serve);
    if (method === 'GET') plain.set(`HEAD ${path}`, serve);
  }
  const tryPatterns = patterns.routes() as unknown as (
    ctx: Context,
    next: () => Answer,
  ) => Promise<Answer>;
  const methodsOf: MethodsOf = (path) => {
    const methods = patterns.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods);
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].toSorted();
  };
  const dispatch = (ctx: Context): Promise<Answer> => {
    const serve = plain.get(`${ctx.method} ${ctx.path}`);
    if (serve) return serve(ctx);
    requireReadablePath(ctx.path);
    return tryPatterns(ctx, () => answerUnrouted(methodsOf, ctx));
  };
  return { dispatch, methodsOf };
}
