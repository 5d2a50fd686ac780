import type { Context } from 'koa';
import type { KeyPrincipal } from '../../domain/catalog/keys/api-key.query.ts';
import {
  authenticateKey,
  authenticateToken,
} from '../../domain/entitlements/authentication.repository.ts';
import type { EffectiveAccess } from '../../domain/entitlements/effective-access.ts';
import type { Count } from '../../domain/limits/rate-window.query.ts';
import type { Bearer } from '../../domain/oauth/tokens/bearer.query.ts';
import type { UsageKind } from '../../domain/usage/decide-usage.ts';
import { authenticateReport } from '../../domain/usage/report.repository.ts';
import { HttpError, insufficientScope, unauthorized } from '../errors.ts';
import type { LimitName } from '../limits.ts';
import type { BareContext } from '../route.ts';
import { countUnknown, refuseOverLimit } from './rate-limit.ts';
import { nameCaller } from './request-log.ts';

/**
 * The product whose key the request carries, and the access of the person `accessOf`: looked up and
 * counted in one statement.
 */
export async function requireKey(
  { ctx, services }: BareContext,
  { limit, accessOf = null }: { limit: LimitName; accessOf?: string | null },
): Promise<{ key: KeyPrincipal; access: EffectiveAccess | null }> {
  const found = await authenticateKey(services.database.pool, {
    credential: requireBearer(ctx),
    window: limit,
    accessOf,
  });
  if (found === null) return refuse({ ctx, services }, unauthorized({ wasGiven: true }));
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
    credential: requireBearer(ctx),
    window: limit,
    accessOf: readsAccess,
  });
  const { principal: bearer, access } = await requireFound({ ctx, services }, { limit, found });
  if (scope && !bearer.scopes.includes(scope)) throw insufficientScope(scope);
  return { bearer, access };
}

/** As `requireToken`; a report whose kind is known is committed by the same statement. */
export async function requireReporter(
  { ctx, services }: BareContext,
  { limit, kind }: { limit: LimitName; kind: UsageKind | null },
): Promise<Bearer> {
  const found = await authenticateReport(services.database.pool, {
    credential: requireBearer(ctx),
    window: limit,
    limit: services.limits[limit],
    kind,
  });
  return (await requireFound({ ctx, services }, { limit, found })).principal;
}

async function requireFound<Token extends { count: Count; principal: Bearer }>(
  { ctx, services }: BareContext,
  { limit, found }: { limit: LimitName; found: Token | 'deleted' | null },
): Promise<Token> {
  if (found === null) return refuse({ ctx, services }, unauthorized({ wasGiven: true }));
  if (found === 'deleted') return refuse({ ctx, services }, new HttpError('not_found'));
  nameCaller(ctx, { clientId: found.principal.clientId });
  refuseOverLimit(ctx, { limit: services.limits[limit], count: found.count });
  return found;
}

/** A failed authentication counts against the caller's address. */
async function refuse({ ctx, services }: BareContext, httpError: HttpError): Promise<never> {
  await countUnknown(ctx, services);
  throw httpError;
}

/** Where a key and a token are accepted, the prefix says which of them came. */
export function bearsKey(ctx: Context): boolean {
  return /^Bearer +gk_/i.test(ctx.get('authorization'));
}

/** From the Authorization header only. */
function requireBearer(ctx: Context): string {
  const given = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1];
  if (given === undefined) throw unauthorized({ wasGiven: false });
  return given;
}
