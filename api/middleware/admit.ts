import type { Context } from 'koa';
import { admitKey, admitToken } from '../../domain/entitlements/admission.store.ts';
import type { Count } from '../../domain/limits/limits.store.ts';
import { isWellFormedCredential } from '../../domain/platform/ids.ts';
import type { UsageKind } from '../../domain/usage/decide-usage.ts';
import { Failure, unauthorized } from '../errors.ts';
import type { AnyCall, Answer, Route } from '../route.ts';
import { identify, type Known } from './credential.ts';
import { countUnknown, limitRequest, requireRoom } from './rate-limit.ts';

type Admitting = { route: Route; query: unknown; report: UsageKind | null };

/**
 * Credential, then rate: who is calling, as the route asks for it; or the answer that sends a person
 * to sign-in. Keys and tokens are looked up and counted in one statement, whatever the input is like.
 */
export async function admit(call: AnyCall, admitting: Admitting): Promise<Known | Answer> {
  const { route } = admitting;
  const { limit } = route;
  const credential = route.credential === 'key_or_token' ? kindOf(call.ctx) : route.credential;
  if (credential === 'key') return admitByKey(call, admitting);
  if (credential === 'token') {
    return route.reportOf ? admitByReport(call, admitting) : admitByToken(call, route);
  }
  const known = await identify(call, credential);
  if ('status' in known || limit === null || credential === 'client') return known;
  await limitRequest(call.ctx, call.services, { name: limit, credentialId: known.credentialId });
  return known;
}

async function admitByKey(call: AnyCall, { route, query }: Admitting): Promise<Known> {
  const { accessOf } = route;
  const isAsked = typeof accessOf === 'function' && !(query instanceof Failure);
  const admission = await admitKey(call.services.database.pool, {
    credential: requireBearer(call.ctx),
    window: route.limit!,
    about: isAsked ? accessOf(query as object) : null,
  });
  const { holder: keyHolder, access } = await requireAdmission(call, { admission, route });
  call.services.usage.noteKey(keyHolder.keyId);
  return { facts: { keyHolder, access }, credentialId: null };
}

async function admitByToken(call: AnyCall, route: Route): Promise<Known> {
  const admission = await admitToken(call.services.database.pool, {
    credential: requireBearer(call.ctx),
    window: route.limit!,
    about: route.accessOf === 'bearer',
  });
  const { holder: bearer, access } = await requireAdmission(call, { admission, route });
  return { facts: { bearer, access }, credentialId: null, scopes: bearer.scopes };
}

async function admitByReport(call: AnyCall, { route, report }: Admitting): Promise<Known> {
  const admission = await call.services.usage.admitReport({
    credential: requireBearer(call.ctx),
    window: route.limit!,
    limit: call.services.limits[route.limit!],
    kind: report,
  });
  const { holder: reporter, isRecorded } = await requireAdmission(call, { admission, route });
  return { facts: { reporter, isRecorded }, credentialId: null };
}

/** One that is not admitted costs its address one. */
async function requireAdmission<Admitted extends { count: Count }>(
  { ctx, services }: AnyCall,
  { admission, route }: { admission: Admitted | 'gone' | null; route: Route },
): Promise<Admitted> {
  if (admission === null || admission === 'gone') {
    await countUnknown(ctx, services);
    throw admission === 'gone' ? new Failure('not_found') : unauthorized({ wasGiven: true });
  }
  requireRoom(ctx, { limit: services.limits[route.limit!], count: admission.count });
  return admission;
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
