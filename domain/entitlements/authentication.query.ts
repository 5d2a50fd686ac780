// One statement for one request or many: it looks the credentials up, counts those that are valid,
// and reads the stored access that is wanted. It reads one snapshot, so nothing has to be
// remembered.
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
import { keyPrincipalsOf, type KeyPrincipal } from '../catalog/keys/api-key.query.ts';
import { bearersOf, type Bearer } from '../oauth/tokens/bearer.query.ts';
import { toArrayParameter } from '../../platform/database/array-parameter.ts';
import { batchStatement } from '../../platform/database/batcher.ts';
import { ACCESS_JOIN, STORED_ACCESS, type StoredAccess } from './access.query.ts';

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

export const authenticateKeys = shareAuthentication<KeyPrincipal, string | null>({
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

export const authenticateTokens = shareAuthentication<TokenPrincipal, boolean>({
  name: 'token',
  principalsOf: bearersOf,
  principal: TOKEN_COLUMNS,
  accessOf: 'boolean',
});
