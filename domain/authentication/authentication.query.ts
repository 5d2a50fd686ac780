// A hot request is authenticated by one statement, for one caller or many: whom its credential stands
// for, the request's number in its rate window, and the access that the request wants. It reads one
// snapshot, so nothing has to be remembered.
import type pg from 'pg';
import {
  COUNT_MANY,
  COUNT_ONE,
  countLater,
  rankRows,
  resetOf,
  SECOND,
  SECOND_ONCE,
  type Count,
} from '../limits/rate-window.query.ts';
import type { KeyMode } from '../catalog/keys/api-key.repository.ts';
import { bearersOf, type Bearer } from '../oauth/tokens/token-principal.query.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { batchStatement } from '../../platform/database/batcher.ts';
import { hashCredential, isWellFormedCredential } from '../shared/ids.ts';
import {
  ACCESS_JOIN,
  readAccess,
  STORED_ACCESS,
  toStored,
  type StoredAccess,
} from '../entitlements/access.query.ts';
import type { EffectiveAccess } from '../entitlements/effective-access.ts';

/** The person, or whether the own access is wanted; null for none. */
export type AccessOf = string | boolean | null;

export type AuthRequest<Of extends AccessOf> = { hash: Buffer; bucket: string; accessOf: Of };

/** The columns of the principal, with those of the count and of the access. */
type Authenticated<Principal> = Principal & Count & StoredAccess & { place: string };

/**
 * `principalsOf` makes the statement's `request`. Of every kind it has `place`, `bucket` and `second`
 * for the count, and `product_id`, `person_id` and `is_included` for the access.
 */
type Kind = {
  name: string;
  /** SQL: the principal of each credential of `input`, and whose access is wanted. */
  principalsOf(input: string): string;
  /** SQL: the columns of the principal. */
  principal: string;
  /** The type of `accessOf`. */
  accessOf: 'uuid' | 'boolean';
};

const columnsOf = ({ principal }: Kind) => `
  place, counted.n, ${resetOf('second')} as "resetS", ${principal}, ${STORED_ACCESS}`;

function shareAuthentication<Principal, Of extends AccessOf>(kind: Kind) {
  const one = { name: `authenticate_${kind.name}`, text: authenticateOne(kind) };
  const many = { name: `authenticate_${kind.name}s`, text: authenticateMany(kind) };
  return batchStatement<AuthRequest<Of>, Authenticated<Principal> | null>({
    // A single caller waits a third less for it.
    async one(pool, { hash, bucket, accessOf }) {
      const values = [hash, bucket, accessOf];
      const { rows } = await pool.query<Authenticated<Principal>>({ ...one, values });
      return rows[0] ?? null;
    },
    async many(pool, requests) {
      const buckets = requests.map(({ bucket }) => bucket);
      const values = [
        toArrayParameter(requests.map(({ hash }) => hash)),
        toArrayParameter(buckets),
        toArrayParameter(requests.map(({ accessOf }) => accessOf)),
      ];
      const { rows } = await pool.query<Authenticated<Principal>>({ ...many, values });
      return rankRows(rows, countLater(buckets));
    },
  });
}

function authenticateOne(kind: Kind): string {
  const input = `(values ($1::bytea, $2::text, $3::${kind.accessOf}, 1, ${SECOND})) input (hash, bucket, access_of, place, second)`;
  return `with request as materialized (${kind.principalsOf(input)}), counted as (${COUNT_ONE})
    select ${columnsOf(kind)} from request left join counted on true ${ACCESS_JOIN}`;
}

function authenticateMany(kind: Kind): string {
  const input = `(select *, ${SECOND_ONCE} as second from
    unnest($1::bytea[], $2::text[], $3::${kind.accessOf}[]) with ordinality each (hash, bucket, access_of, place)) input`;
  return `with request as materialized (${kind.principalsOf(input)}), counted as (${COUNT_MANY})
    select ${columnsOf(kind)} from request left join counted using (bucket) ${ACCESS_JOIN}`;
}

export type KeyPrincipal = { keyId: string; productId: string; mode: KeyMode };

/**
 * SQL, of `input` (hash, bucket, access_of, place, second): the product of each live key and the person
 * whose access is wanted. An unknown, expired or revoked key has no row.
 */
const keyPrincipalsOf = (input: string) => `
  select place, bucket, second, k.id as key_id, k.product_id, k.mode, access_of as person_id, p.included_with_member as is_included
  from ${input} join api_key k on k.key_hash = input.hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > gatehouse_now())
  join product p on p.id = k.product_id and p.state <> 'removed'`;

const authenticateKeys = shareAuthentication<KeyPrincipal, string | null>({
  name: 'key',
  principalsOf: keyPrincipalsOf,
  principal: 'key_id as "keyId", request.product_id as "productId", mode',
  accessOf: 'uuid',
});

export type TokenPrincipal = Omit<Bearer, 'scopes'> & {
  scope: string;
  isGone: boolean;
  wantsAccess: boolean;
};

/** The columns of `bearersOf`, in SQL. */
export const TOKEN_COLUMNS = `
  request.person_id as "personId", "clientId", "productId", request.scope, handle, "displayName",
  "imageName", "isOwnTeam", at, is_gone as "isGone", request.product_id is not null as "wantsAccess"`;

const authenticateTokens = shareAuthentication<TokenPrincipal, boolean>({
  name: 'token',
  principalsOf: bearersOf,
  principal: TOKEN_COLUMNS,
  accessOf: 'boolean',
});

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
 * Returns null for an unknown, expired or revoked token, and `deleted` where its person or client was
 * deleted: neither is counted.
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
