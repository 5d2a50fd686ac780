import type { Context } from 'koa';
import type { KeyPrincipal } from '../../domain/authentication/authentication.query.ts';
import {
  authenticateKey,
  authenticateToken,
} from '../../domain/authentication/authentication.query.ts';
import type { EffectiveAccess } from '../../domain/entitlements/effective-access.ts';
import type { Count } from '../../domain/limits/rate-window.query.ts';
import type { Bearer } from '../../domain/oauth/tokens/token-principal.query.ts';
import type { UsageKind } from '../../domain/usage/decide-usage.ts';
import { authenticateReport } from '../../domain/usage/record-evidence.query.ts';
import { HttpError, insufficientScope, unauthorized } from './errors.ts';
import type { LimitName } from './limits.ts';
import type { BareContext } from './route.ts';
import { explainCredential, readBearer, type Needed } from './credential.ts';
import { countUnknown, refuseOverLimit } from './rate-limit.ts';
import { nameCaller } from './request-log.ts';

/** The token is of a person or a client that was deleted. */
export const GONE = 'The person or the client of this token no longer exists.';

/**
 * The product whose key the request carries, and the access of the person `accessOf`: looked up and
 * counted in one statement.
 */
export async function requireKey(
  { ctx, services }: BareContext,
  {
    limit,
    accessOf = null,
    needed = 'key',
  }: { limit: LimitName; accessOf?: string | null; needed?: Needed },
): Promise<{ key: KeyPrincipal; access: EffectiveAccess | null }> {
  const found = await authenticateKey(services.database.pool, {
    credential: requireBearer(ctx, needed),
    window: limit,
    accessOf,
  });
  if (found === null) return refuse({ ctx, services }, refusedCredential(ctx, needed));
  nameCaller(ctx, found.principal);
  refuseOverLimit(ctx, { limit: services.limits[limit], count: found.count });
  services.usage.noteKey(found.principal.keyId);
  return { key: found.principal, access: found.access };
}

/** The person and the client of the request's token, in one statement. */
export async function requireToken(
  { ctx, services }: BareContext,
  {
    limit,
    scope,
    readsAccess = false,
  }: { limit: LimitName; scope?: string; readsAccess?: boolean },
): Promise<{ bearer: Bearer; access: EffectiveAccess | null }> {
  const found = await authenticateToken(services.database.pool, {
    credential: requireBearer(ctx, 'token'),
    window: limit,
    accessOf: readsAccess,
  });
  const { principal: bearer, access } = await requireFound(
    { ctx, services },
    { limit, found, needed: 'token' },
  );
  if (scope && !bearer.scopes.includes(scope)) throw insufficientScope(scope);
  return { bearer, access };
}

/** Requires a token; the same statement commits a report whose kind is known. */
export async function requireReporter(
  { ctx, services }: BareContext,
  { limit, kind }: { limit: LimitName; kind: UsageKind | null },
): Promise<Bearer> {
  const found = await authenticateReport(services.database.pool, {
    credential: requireBearer(ctx, 'key_or_token'),
    window: limit,
    limit: services.limits[limit],
    kind,
  });
  return (await requireFound({ ctx, services }, { limit, found, needed: 'key_or_token' }))
    .principal;
}

async function requireFound<Token extends { count: Count; principal: Bearer }>(
  { ctx, services }: BareContext,
  { limit, found, needed }: { limit: LimitName; found: Token | 'deleted' | null; needed: Needed },
): Promise<Token> {
  if (found === null) return refuse({ ctx, services }, refusedCredential(ctx, needed));
  if (found === 'deleted') {
    return refuse({ ctx, services }, new HttpError('not_found', { message: GONE }));
  }
  const { clientId, productId } = found.principal;
  nameCaller(ctx, { clientId, productId });
  refuseOverLimit(ctx, { limit: services.limits[limit], count: found.count });
  return found;
}

/** A failed authentication counts against the caller's address. */
async function refuse({ ctx, services }: BareContext, httpError: HttpError): Promise<never> {
  await countUnknown(ctx, services);
  throw httpError;
}

/** True when the prefix says that a key came, on routes that accept a key and a token. */
export function bearsKey(ctx: Context): boolean {
  return /^Bearer +gk_/i.test(ctx.get('authorization'));
}

/** Refuses a request without a readable credential before any look-up. */
function requireBearer(ctx: Context, needed: Needed): string {
  const given = readBearer(ctx.get('authorization'));
  if (given === null) throw refusedCredential(ctx, needed, { wasGiven: false });
  return given;
}

function refusedCredential(ctx: Context, needed: Needed, { wasGiven } = { wasGiven: true }) {
  const carrier = { query: ctx.querystring, headers: ctx.headers };
  return unauthorized({ wasGiven, message: explainCredential(carrier, needed) });
}
