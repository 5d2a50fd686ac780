import type { Context } from 'koa';
import {
  authenticateKey,
  authenticateToken,
} from '../../domain/entitlements/authentication.repository.ts';
import type { Count } from '../../domain/limits/rate-window.query.ts';
import { isWellFormedCredential } from '../../domain/shared/ids.ts';
import type { UsageKind } from '../../domain/usage/decide-usage.ts';
import { Failure, unauthorized } from '../errors.ts';
import type { LimitName } from '../limits.ts';
import type { AnyCall, Answer, Credential, Route } from '../route.ts';
import { identify, type Known, type OtherCredential } from './credential.ts';
import { countPage, countUnknown, limitRequest, refuseOverLimit } from './rate-limit.ts';

type Authenticating = { route: Route; query: unknown; report: UsageKind | null };

/**
 * Credential, then rate: who is calling, as the route asks for it; or the answer that sends a person
 * to sign-in. Keys and tokens are looked up and counted in one statement, whatever the input is like.
 */
export async function authenticate(
  call: AnyCall,
  authenticating: Authenticating,
): Promise<Known | Answer> {
  const { route } = authenticating;
  const credential = route.credential === 'key_or_token' ? kindOf(call.ctx) : route.credential;
  if (credential === 'key') return authenticateByKey(call, authenticating);
  if (credential === 'token') {
    return route.reportOf
      ? authenticateByReport(call, authenticating)
      : authenticateByToken(call, route);
  }
  if (isPage(route)) await countPage(call.ctx, call.services);
  return authenticateByIdentity(call, { limit: route.limit, credential });
}

/** What shows who is signed in, and has no limit of its own. */
function isPage({ method, credential, limit }: Route): boolean {
  return method === 'GET' && limit === null && PAGE_CREDENTIALS.has(credential);
}

const PAGE_CREDENTIALS = new Set<Credential>(['visitor', 'session', 'operator']);

async function authenticateByIdentity(
  call: AnyCall,
  { limit, credential }: { limit: LimitName | null; credential: OtherCredential },
): Promise<Known | Answer> {
  const known = await identify(call, credential);
  if ('status' in known || limit === null || credential === 'client') return known;
  await limitRequest(call.ctx, call.services, { name: limit, credentialId: known.credentialId });
  return known;
}

async function authenticateByKey(call: AnyCall, { route, query }: Authenticating): Promise<Known> {
  const { accessOf } = route;
  const isAsked = typeof accessOf === 'function' && !(query instanceof Failure);
  const authentication = await authenticateKey(call.services.database.pool, {
    credential: requireBearer(call.ctx),
    window: route.limit!,
    about: isAsked ? accessOf(query as object) : null,
  });
  if (authentication === null) return refuse(call, authentication);
  const { holder: keyHolder, count, access } = authentication;
  refuseOver(route, call, count);
  call.services.usage.noteKey(keyHolder.keyId);
  return { facts: { keyHolder, access }, credentialId: null };
}

async function authenticateByToken(call: AnyCall, route: Route): Promise<Known> {
  const authentication = await authenticateToken(call.services.database.pool, {
    credential: requireBearer(call.ctx),
    window: route.limit!,
    about: route.accessOf === 'bearer',
  });
  if (authentication === null || authentication === 'gone') return refuse(call, authentication);
  const { holder: bearer, count, access } = authentication;
  refuseOver(route, call, count);
  return { facts: { bearer, access }, credentialId: null, scopes: bearer.scopes };
}

async function authenticateByReport(
  call: AnyCall,
  { route, report }: Authenticating,
): Promise<Known> {
  const authentication = await call.services.usage.authenticateReport({
    credential: requireBearer(call.ctx),
    window: route.limit!,
    limit: call.services.limits[route.limit!],
    kind: report,
  });
  if (authentication === null || authentication === 'gone') return refuse(call, authentication);
  const { holder: reporter, count, isRecorded } = authentication;
  refuseOver(route, call, count);
  return { facts: { reporter, isRecorded }, credentialId: null };
}

/** One that is not admitted costs its address one. */
async function refuse({ ctx, services }: AnyCall, why: 'gone' | null): Promise<never> {
  await countUnknown(ctx, services);
  throw why === 'gone' ? new Failure('not_found') : unauthorized({ wasGiven: true });
}

function refuseOver({ limit }: Route, { ctx, services }: AnyCall, count: Count): void {
  refuseOverLimit(ctx, { limit: services.limits[limit!], count });
}

/** A token that may be one of ours: what comes with any other is not worth reading early. */
export function bearsToken(ctx: Context): boolean {
  const given = bearerOf(ctx);
  return given !== undefined && isWellFormedCredential(given, 'gat_');
}

/** Where either will do, the prefix says which it is. */
function kindOf(ctx: Context): 'key' | 'token' {
  return /^Bearer +gk_/i.test(ctx.get('authorization')) ? 'key' : 'token';
}

/** From the Authorization header only. */
function requireBearer(ctx: Context): string {
  const given = bearerOf(ctx);
  if (given === undefined) throw unauthorized({ wasGiven: false });
  return given;
}

function bearerOf(ctx: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1];
}
