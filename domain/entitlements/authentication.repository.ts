// A hot request is authenticated by one statement: whom its credential stands for, the request's number in
// its rate window, and the access that is asked about, all read when it is answered.
import type pg from 'pg';
import { keyHoldersOf, type KeyHolder } from '../catalog/keys/api-key.query.ts';
import { bearersOf, type Bearer } from '../oauth/tokens/bearer.query.ts';
import type { Count } from '../limits/rate-window.query.ts';
import { hashCredential, isWellFormedCredential } from '../shared/ids.ts';
import { readAccess } from './access.query.ts';
import { shareAuthentication, type About, type Given } from './authentication.query.ts';
import type { EffectiveAccess } from './effective-access.ts';

export type Authentication<Holder> = {
  holder: Holder;
  count: Count;
  /** Null when nothing was asked. */
  access: EffectiveAccess | null;
};

type Question<Asked extends About> = { credential: string; window: string; about: Asked };

const findKeys = shareAuthentication<KeyHolder, string | null>({
  name: 'key',
  holdersOf: keyHoldersOf,
  holder: `json_build_object('keyId', key_id, 'productId', asked.product_id, 'mode', mode)`,
  about: 'uuid',
});

/** Null for an unknown, expired or revoked key, which is not counted. */
export async function authenticateKey(
  pool: pg.Pool,
  question: Question<string | null>,
): Promise<Authentication<KeyHolder> | null> {
  const { credential, about: personId } = question;
  const isOurs =
    isWellFormedCredential(credential, 'gk_live_') ||
    isWellFormedCredential(credential, 'gk_test_');
  const authenticated = isOurs ? await findKeys(pool, toGiven(question)) : null;
  if (!authenticated) return null;
  const { holder, stored } = authenticated;
  const { productId } = holder;
  const access =
    personId === null ? null : (stored ?? (await readAccess(pool, { productId, personId })));
  return { holder, count: toCount(authenticated), access };
}

type TokenHolder = Omit<Bearer, 'scopes' | 'at'> & {
  scope: string;
  atMs: number;
  isGone: boolean;
  isAsked: boolean;
};

const findTokens = shareAuthentication<TokenHolder, boolean>({
  name: 'token',
  holdersOf: bearersOf,
  holder: `json_build_object('personId', asked.person_id, 'clientId', "clientId", 'productId', "productId",
    'scope', asked.scope, 'handle', handle, 'displayName', "displayName", 'imageName', "imageName",
    'isOwnTeam', "isOwnTeam", 'atMs', at_ms, 'isGone', is_gone, 'isAsked', asked.product_id is not null)`,
  about: 'boolean',
});

/** Null and deleted tokens are not counted. Deleted: the token's person or client was deleted. */
export async function authenticateToken(
  pool: pg.Pool,
  question: Question<boolean>,
): Promise<Authentication<Bearer> | 'deleted' | null> {
  if (!isWellFormedCredential(question.credential, 'gat_')) return null;
  const authenticated = await findTokens(pool, toGiven(question));
  if (!authenticated) return null;
  const { scope, atMs, isGone, isAsked, ...bearer } = authenticated.holder;
  if (isGone) return 'deleted';
  const { personId, productId } = bearer;
  const access = isAsked
    ? (authenticated.stored ?? (await readAccess(pool, { productId: productId!, personId })))
    : null;
  const holder = { ...bearer, scopes: scope.split(' '), at: new Date(atMs) };
  return { holder, count: toCount(authenticated), access };
}

function toGiven<Asked extends About>({ about, ...caller }: Question<Asked>): Given<Asked> {
  return { ...nameWindow(caller), about };
}

/** Names a credential's rate window without revealing the credential. */
function nameWindow({ credential, window }: { credential: string; window: string }) {
  const hash = hashCredential(credential);
  return { hash, bucket: `${window}:${hash.toString('base64url').slice(0, 22)}` };
}

function toCount({ n, resetS }: Count): Count {
  return { n, resetS };
}
