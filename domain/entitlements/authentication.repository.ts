// A hot request is authenticated by one statement: whom its credential stands for, the request's number in
// its rate window, and the access that the request wants, all read when it is answered.
import type pg from 'pg';
import type { KeyPrincipal } from '../catalog/keys/api-key.query.ts';
import type { Bearer } from '../oauth/tokens/bearer.query.ts';
import type { Count } from '../limits/rate-window.query.ts';
import { hashCredential, isWellFormedCredential } from '../shared/ids.ts';
import { readAccess, toStored } from './access.query.ts';
import {
  authenticateKeys,
  authenticateTokens,
  type AccessOf,
  type AuthRequest,
  type TokenPrincipal,
} from './authentication.query.ts';
import type { EffectiveAccess } from './effective-access.ts';

export type Authentication<Principal> = {
  principal: Principal;
  count: Count;
  /** Is null when the request wants none. */
  access: EffectiveAccess | null;
};

type Caller<Of extends AccessOf> = { credential: string; window: string; accessOf: Of };

/** Returns null for an unknown, expired or revoked key, which is not counted. */
export async function authenticateKey(
  pool: pg.Pool,
  caller: Caller<string | null>,
): Promise<Authentication<KeyPrincipal> | null> {
  const { credential, accessOf: personId } = caller;
  const isOurs =
    isWellFormedCredential(credential, 'gk_live_') ||
    isWellFormedCredential(credential, 'gk_test_');
  const row = isOurs ? await authenticateKeys(pool, toAuthRequest(caller)) : null;
  if (!row) return null;
  const { keyId, productId, mode } = row;
  const access =
    personId === null ? null : (toStored(row) ?? (await readAccess(pool, { productId, personId })));
  return { principal: { keyId, productId, mode }, count: toCount(row), access };
}

/**
 * Returns null for an unknown token and `deleted` for one whose person or client was deleted;
 * neither is counted.
 */
export async function authenticateToken(
  pool: pg.Pool,
  caller: Caller<boolean>,
): Promise<Authentication<Bearer> | 'deleted' | null> {
  if (!isWellFormedCredential(caller.credential, 'gat_')) return null;
  const row = await authenticateTokens(pool, toAuthRequest(caller));
  if (!row) return null;
  if (row.isGone) return 'deleted';
  const { personId, productId } = row;
  const access = row.wantsAccess
    ? (toStored(row) ?? (await readAccess(pool, { productId: productId!, personId })))
    : null;
  return { principal: toBearer(row), count: toCount(row), access };
}

export function toBearer(row: TokenPrincipal): Bearer {
  const { personId, clientId, productId, scope, handle, displayName, imageName } = row;
  const { isOwnTeam, at } = row;
  const scopes = scope.split(' ');
  return { personId, clientId, productId, scopes, handle, displayName, imageName, isOwnTeam, at };
}

export function toAuthRequest<Of extends AccessOf>({
  accessOf,
  ...caller
}: Caller<Of>): AuthRequest<Of> {
  return { ...nameWindow(caller), accessOf };
}

/** Names a credential's rate window without revealing the credential. */
function nameWindow({ credential, window }: { credential: string; window: string }) {
  const hash = hashCredential(credential);
  return { hash, bucket: `${window}:${hash.toString('base64url').slice(0, 22)}` };
}

export function toCount({ n, resetS }: Count): Count {
  return { n, resetS };
}
