// A token request as one statement for all who ask together, or for one: it looks the clients up, counts
// the requests, and exchanges the codes of those that are proven and within their limit.
import { COUNT_MANY } from '../../limits/limits.store.ts';
import { shareStatement } from '../../platform/batch.ts';
import { CODE_SECONDS, TOKEN_SECONDS } from './lifetimes.ts';
import { IS_ENABLED } from './oauth-client.store.ts';

export type Asked = {
  clientId: string;
  bucket: string;
  limit: number;
  hasSecret: boolean;
  /** Null for one that we did not make. */
  secretHash: Buffer | null;
  /** Null where nothing is to be exchanged. */
  codeHash: Buffer | null;
  redirectUri: string;
  challenge: string | null;
  tokenHash: Buffer;
};

export type Answered = {
  isProven: boolean;
  n: number;
  resetS: number;
  /** What the token that was stored is for; null where none was. */
  scope: string | null;
};

const COLUMNS = [
  'client_id text',
  'bucket text',
  'most int',
  'has_secret bool',
  'secret_hash bytea',
  'code_hash bytea',
  'redirect_uri text',
  'challenge text',
  'token_hash bytea',
].map((column) => column.split(' ') as [name: string, type: string]);

const NAMES = `given (${COLUMNS.map(([name]) => name).join(', ')}, place)`;
const GIVEN_ONE = `(values (${COLUMNS.map(([, type], at) => `$${at + 1}::${type}`).join(', ')}, 1)) ${NAMES}`;
const GIVEN_MANY = `unnest(${COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')}) with ordinality ${NAMES}`;

// Those who share a client take their numbers in turn. Any binding that differs consumes nothing. The
// consent is read FOR SHARE, and revoking updates it first: no token outlives the revocation.
const exchangeOf = (given: string) => `
  with asked as materialized (
    select given.*, row_number() over (partition by bucket order by place) as turn,
      count(*) over (partition by bucket) as turns,
      ${IS_ENABLED} and case when c.kind = 'confidential' then exists (
        select 1 from client_secret s
        where s.client_id = c.id and s.secret_hash = given.secret_hash
          and (s.expires_at is null or s.expires_at > gatehouse_now()))
      else not given.has_secret end as is_proven
    from ${given} join oauth_client c on c.id = given.client_id
    left join product p on p.id = c.product_id
  ), counted as (${COUNT_MANY}), admitted as materialized (
    select asked.*, (counted.n - turns + turn)::int as n, counted."resetS"
    from asked join counted using (bucket)
  ), live as materialized (
    select a.code_hash from authorization_code a
    join consent k on k.person_id = a.person_id and k.client_id = a.client_id and k.revoked_at is null
    join person h on h.id = a.person_id and h.deleted_at is null
    where a.code_hash in (select code_hash from admitted where is_proven and n <= most)
    order by a.code_hash for share of k
  ), consumed as (
    update authorization_code a set consumed_at = gatehouse_now(), token_hash = admitted.token_hash
    from live join admitted using (code_hash)
    where a.code_hash = live.code_hash and admitted.is_proven and admitted.n <= admitted.most
      and a.client_id = admitted.client_id and a.redirect_uri = admitted.redirect_uri
      and a.challenge is not distinct from admitted.challenge and a.consumed_at is null
      and a.created_at > gatehouse_now() - interval '${CODE_SECONDS} seconds'
    returning a.token_hash, a.client_id, a.person_id, a.scope
  ), issued as (
    insert into access_token (token_hash, client_id, person_id, scope, expires_at)
    select token_hash, client_id, person_id, scope,
      gatehouse_now() + interval '${TOKEN_SECONDS} seconds'
    from consumed returning token_hash, scope
  )
  select a.place, a.is_proven as "isProven", a.n, a."resetS", issued.scope
  from admitted a left join issued using (token_hash)`;

const EXCHANGE_ONE = exchangeOf(GIVEN_ONE);
const EXCHANGE_MANY = exchangeOf(GIVEN_MANY);

/** Null where no client is registered under that name: it is not counted here. */
export const askForToken = shareStatement<Asked, Answered | null>({
  async one(pool, asked) {
    const { rows } = await pool.query<Answered>({
      name: 'exchange_code',
      text: EXCHANGE_ONE,
      values: toValues(asked),
    });
    return rows[0] ?? null;
  },
  async many(pool, all) {
    const lists = all.map(toValues);
    const { rows } = await pool.query<Answered & { place: string }>({
      name: 'exchange_codes',
      text: EXCHANGE_MANY,
      values: COLUMNS.map((_, at) => lists.map((values) => values[at])),
    });
    const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
    return all.map((_, index) => byPlace.get(index + 1) ?? null);
  },
});

/** In the order of the columns. */
function toValues(asked: Asked): unknown[] {
  const { clientId, bucket, limit, hasSecret, secretHash } = asked;
  const { codeHash, redirectUri, challenge, tokenHash } = asked;
  const client = [clientId, bucket, limit, hasSecret, secretHash];
  return [...client, codeHash, redirectUri, challenge, tokenHash];
}
