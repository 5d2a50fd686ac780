import type { RequestListener } from 'node:http';
import Koa from 'koa';
import type { RequestRecorder } from '../domain/request-log/request-recorder.command.ts';
import type { Logger } from '../platform/log.ts';
import { allowedMethods } from './http/allowed-methods.ts';
import { drainUnreadBody } from './http/drain.ts';
import { compress } from './http/compress.ts';
import { cors } from './http/cors.ts';
import { forwardedAddress } from './http/caller-address.ts';
import { errorHandler } from './http/error-handler.ts';
import { requestId } from './http/request-id.ts';
import { apiRequests, requestLog } from './http/request-log.ts';
import { requestTarget } from './http/request-target.ts';
import { securityHeaders } from './http/security-headers.ts';
import { routeRequests } from './http/router.ts';
import { freshProof, PROOF_FIELDS } from './account/confirmation/fresh-proof.ts';
import { findSignedIn, session } from './account/session-middleware.ts';
import { ROUTES } from './routes.ts';
import { createServices, type ServiceOptions } from './services.ts';
import type { Route } from './http/route.ts';

export type AppOptions = ServiceOptions & {
  routes?: readonly Route[];
  /** Is null where no log of API requests is kept. */
  requests?: RequestRecorder | null;
};

export function createApp({
  routes = ROUTES,
  requests = null,
  ...options
}: AppOptions): RequestListener {
  const services = createServices(options);
  const { config, logger } = services;
  const isApi = ({ path }: Route) => path.startsWith('/api/');
  const [api, pages] = [routes.filter(isApi), routes.filter((route) => !isApi(route))];
  const signIn = { findSignedIn, session, freshProof, proofFields: PROOF_FIELDS };
  const kernel = { services, signIn };
  return new Koa()
    .on('error', logBrokenResponse(logger))
    .use(requestId())
    .use(drainUnreadBody())
    .use(requestLog(logger))
    .use(requests ? apiRequests(requests) : (_, next) => next())
    .use(errorHandler(services, { routes, findSignedIn }))
    .use(securityHeaders({ isHttps: config.baseUrl.startsWith('https:') }))
    .use(requestTarget())
    .use(forwardedAddress(config))
    .use(cors(routes))
    .use(allowedMethods())
    .use(routeRequests(api, kernel))
    .use(compress()) // responses of the API fit in one packet
    .use(routeRequests(pages, kernel))
    .callback();
}

// Broken HTTP, a late body, a connection that its caller has closed.
const FAULTS_OF_CALLERS =
  /^(HPE_\w+|ERR_HTTP_REQUEST_TIMEOUT|ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/;

function logBrokenResponse(logger: Logger) {
  return (error: NodeJS.ErrnoException, ctx?: Koa.Context) => {
    const requestId = ctx?.state['requestId'] as string | undefined;
    const { code: reason = '' } = error;
    if (FAULTS_OF_CALLERS.test(reason)) logger.info({ reason, requestId }, 'a caller broke off');
    else logger.error({ err: error, requestId }, 'a response broke off');
  };
}
