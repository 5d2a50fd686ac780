import type { Context } from 'koa';
import { insufficientScope } from '../errors.ts';
import { readCookies } from '../identity/cookies.ts';
import type { AnyCall, Answer, Route } from '../route.ts';
import type { Services } from '../services.ts';
import { readBody } from './body.ts';
import { identify } from './credential.ts';
import { parseInput } from './input.ts';
import { requireFormToken, requireSameOrigin } from './own-form.ts';
import { limitRequest } from './rate-limit.ts';

/** After path and method: credential, rate, size, type, input, in this order. */
export function serveRoute(route: Route, services: Services) {
  return async (ctx: Context): Promise<void> => {
    if (route.contentSecurityPolicy) {
      ctx.set('content-security-policy', route.contentSecurityPolicy);
    }
    const call = { ctx, services, cookies: readCookies(ctx, services.config.baseUrl) };
    send(ctx, await answer(route, call));
  };
}

async function answer(route: Route, call: AnyCall): Promise<Answer> {
  const known = await identify(call, route.credential);
  if ('status' in known) return known;
  const { facts, credentialId, scopes } = known;
  if (route.limit && route.credential !== 'client') {
    await limitRequest(call.ctx, call.services, { name: route.limit, credentialId });
  }
  if (route.scope && !scopes?.includes(route.scope)) throw insufficientScope(route.scope);
  const input = await readInput(route, call);
  return route.handler({ ...call, ...facts, ...input } as Parameters<Route['handler']>[0]);
}

async function readInput(route: Route, call: AnyCall) {
  const { ctx, services } = call;
  const { params, query, body } = route.input;
  const isForm = body?.kind === 'form';
  if (isForm) requireSameOrigin(ctx, services.config.baseUrl);
  const given = body ? await readBody(ctx, body) : undefined;
  if (isForm) {
    const isSignedIn = route.credential === 'session' || route.credential === 'operator';
    requireFormToken(call, isSignedIn ? 'session' : 'pre_session', given);
  }
  return {
    params: parseInput(params, ctx['params']),
    query: parseInput(query, ctx.query),
    body: parseInput(body?.shape, given),
  };
}

function send(ctx: Context, { status, headers, cookies, type, body }: Answer): void {
  ctx.status = status;
  if (headers) ctx.set(headers);
  if (cookies) ctx.set('set-cookie', cookies);
  if (type) ctx.type = type;
  ctx.body = body ?? null;
  ctx.status = status;
}
