import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Visitor } from '../../domain/identity/identity.repository.ts';
import { Failure, insufficientScope } from '../errors.ts';
import { askForProof } from '../account/confirmation/fresh-proof.ts';
import { readCookies } from '../account/cookies.ts';
import type { AnyCall, Answer, Route } from '../route.ts';
import type { Services } from '../services.ts';
import { authenticate, bearsToken } from './authenticate.ts';
import { readBody } from './body.ts';
import { identify } from './credential.ts';
import { headersOf } from './headers.ts';
import { judgeInput, readQuery, requireInput, type Fields } from './input.ts';
import { requireFormToken, requireSameOrigin } from './csrf.ts';

export type Serve = (ctx: Context) => Promise<Answer>;

/** After path and method: credential, rate, size, type, input, in this order. */
export function serveRoute(route: Route, services: Services): Serve {
  return (ctx) => {
    ctx.state['pattern'] = route.path;
    if (route.contentSecurityPolicy) {
      headersOf(ctx)['content-security-policy'] = route.contentSecurityPolicy;
    }
    return answer(route, { ctx, services, cookies: readCookies(ctx, services.config.baseUrl) });
  };
}

async function answer(route: Route, call: AnyCall): Promise<Answer> {
  const query = route.input.query && judgeInput(route.input.query, readQuery(call.ctx.querystring));
  const isReport = route.reportOf !== undefined && bearsToken(call.ctx);
  const early = isReport ? await readAtHand(route, call, query) : undefined;
  const isRead = early && !(early instanceof Failure);
  const report = isRead ? route.reportOf!(early.body as never) : null;
  const known = await authenticate(call, { route, query, report });
  if ('status' in known) return known;
  const { facts, scopes } = known;
  if (route.scope && !scopes?.includes(route.scope)) throw insufficientScope(route.scope);
  const isBodyUnderWay = route.input.body !== undefined && !call.ctx.req.complete;
  const { fields, ...input } = early
    ? (requireInput(early) as Read)
    : await readInput(route, call, query);
  const latest = isBodyUnderWay ? await identifyAgain(route, call) : {};
  const whole = { ...call, ...facts, ...latest, ...input } as WholeCall;
  return needsProof(route, whole) ? prove(route, whole, fields) : route.handler(whole);
}

type WholeCall = Parameters<Route['handler']>[0];

function needsProof({ proof }: Route, { visitor, body }: AnyCall & { body: unknown }): boolean {
  if (!proof || !visitor || visitor.isFresh) return false;
  return proof === 'fresh' || proof(body as never);
}

/** The form once its proof has come with it, under the session's new token; else what asks for it. */
async function prove(route: Route, call: WholeCall, fields: unknown): Promise<Answer> {
  const { visitor } = call as { visitor: Visitor };
  const proved = await askForProof({ ...call, visitor }, fields as Fields<string>);
  if ('status' in proved) return proved;
  // With a refusal too: the token before ends within seconds.
  headersOf(call.ctx)['set-cookie'] = [proved.cookie];
  const cookies = { ...call.cookies, session: proved.token };
  const answer = await route.handler({ ...call, cookies });
  return { ...answer, cookies: [proved.cookie, ...(answer.cookies ?? [])] };
}

/**
 * What has come together with its head is read before its caller is known, so that one statement does
 * for both; its fault is told in its turn. Undefined where the body is still on its way.
 */
async function readAtHand(route: Route, call: AnyCall, query: unknown) {
  await setImmediate(); // the parser comes to the body after this
  if (!call.ctx.req.complete) return undefined;
  return readInput(route, call, query).catch((fault: unknown) => {
    if (fault instanceof Failure) return fault;
    throw fault;
  });
}

/** A body may take its time: by its end the session may be over, and its person may do less. */
async function identifyAgain({ credential }: Route, call: AnyCall): Promise<object> {
  if (credential !== 'session' && credential !== 'operator') return {};
  const known = await identify(call, credential);
  return 'facts' in known ? known.facts : {};
}

type Read = { fields: unknown; params: unknown; query: unknown; body: unknown };

async function readInput(route: Route, call: AnyCall, query: unknown): Promise<Read> {
  const { ctx, services } = call;
  const { params, body } = route.input;
  const isForm = body?.kind === 'form' || body?.kind === 'upload';
  if (isForm) requireSameOrigin(ctx, services.config.baseUrl);
  const isSignedIn = route.credential === 'session' || route.credential === 'operator';
  const requireToken = (fields: unknown) =>
    requireFormToken(call, isSignedIn ? 'session' : 'pre_session', fields);
  const given = body
    ? await readBody(ctx, body, (name, value) => requireToken({ [name]: value }))
    : undefined;
  if (isForm) requireToken(given);
  return {
    fields: given,
    params: requireInput(judgeInput(params, ctx['params'])),
    query: requireInput(query),
    body: requireInput(judgeInput(body?.shape, given)),
  };
}
