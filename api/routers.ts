import Router from '@koa/router';
import type { Middleware } from 'koa';
import { serveRoute } from './middleware/serve-route.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

export type RouterOf = (path: string) => Router;

/** A router tries all of its patterns on every request: the API does not pay for the pages. */
export function createRouters(routes: readonly Route[], services: Services) {
  const [api, pages] = [createRouter(), createRouter()];
  const routerOf: RouterOf = (path) => (path.startsWith('/api/') ? api : pages);
  for (const route of routes) {
    routerOf(route.path).register(route.path, [route.method], serveRoute(route, services));
  }
  const serving = new Map([api, pages].map((router) => [router, router.routes() as Middleware]));
  const dispatch: Middleware = (ctx, next) => serving.get(routerOf(ctx.path))!(ctx, next);
  return { routerOf, dispatch };
}

function createRouter(): Router {
  return new Router({ sensitive: true, strict: true });
}
