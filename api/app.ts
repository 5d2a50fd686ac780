import type { RequestListener } from 'node:http';
import Koa, { type Context } from 'koa';
import { readOwnAddresses } from '../platform/own-addresses.ts';
import { createAddressPolicy } from '../domain/shared/public-address.ts';
import { createSealer, createTokenSigner } from '../domain/shared/secrets.ts';
import { createLimiters, DEFAULT_LIMITS, type Limits } from './limits.ts';
import { allowOtherOrigins } from './middleware/cors.ts';
import { answerFault } from './middleware/error-handler.ts';
import { pathOf, requireTarget } from './middleware/allowed-methods.ts';
import { requireForwardedAddress } from './middleware/caller-address.ts';
import { newRequestId, REQUEST_ID } from './middleware/request-id.ts';
import { logRequest } from './middleware/request-log.ts';
import { secureHeaders } from './middleware/security-headers.ts';
import { send } from './middleware/send.ts';
import { createNodeServer, type NodeServer } from './node-server.ts';
import type { Route } from './route.ts';
import { createRouters } from './routers.ts';
import { ROUTES } from './routes.ts';
import type { Services } from './services.ts';

export type AppOptions = Omit<
  Services,
  'limits' | 'limiters' | 'signer' | 'sealer' | 'addresses' | 'temporal'
> & {
  temporal?: Services['temporal'];
  /** Other limits than the decided ones, where a race or a bench needs them. */
  limits?: Partial<Limits>;
  routes?: readonly Route[];
};

export function createApp({ routes = ROUTES, ...options }: AppOptions): NodeServer {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const services: Services = {
    ...options,
    temporal: options.temporal ?? null,
    limits,
    limiters: createLimiters(options.database.pool, limits),
    signer: createTokenSigner(options.config.secretKeys),
    sealer: createSealer(options.config.secretKeys),
    addresses: createAddressPolicy({
      ...options.config.webhooks,
      ownAddresses: readOwnAddresses(),
    }),
  };
  const { config, logger, processor } = services;
  const isSimulated = processor.kind === 'simulator';
  const { dispatch, methodsOf } = createRouters(routes, services);
  const fixedHeaders = secureHeaders({ isHttps: config.baseUrl.startsWith('https:') });
  const sharingHeaders = allowOtherOrigins(routes);
  const app = new Koa();
  const serve = async (ctx: Context): Promise<void> => {
    const startedAt = performance.now();
    const target = pathOf(ctx);
    const path = target ?? '/api/';
    const requestId = newRequestId();
    ctx.state['headers'] = {
      [REQUEST_ID]: requestId,
      ...fixedHeaders(path),
      ...sharingHeaders({ method: ctx.method, path }),
    };
    try {
      requireTarget(ctx, target);
      if (config.isProxyTrusted) requireForwardedAddress(ctx);
      await send(ctx, await dispatch(ctx));
    } catch (fault) {
      await send(ctx, answerFault(fault, logger, { path, requestId, isSimulated }));
    }
    logRequest(logger, { ctx, requestId, startedAt });
  };
  // Koa's own handler would watch each response once more for what is written here.
  const handler: RequestListener = (request, response) => {
    serve(app.createContext(request, response)).catch((fault: unknown) => {
      logger.error({ err: fault }, 'no answer could be written');
      response.destroy();
    });
  };
  return createNodeServer({ handler, methodsOf, fixedHeaders, isSimulated });
}
