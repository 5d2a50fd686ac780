// A token request as one statement for one caller or many: it looks the clients up, counts the
// requests, and exchanges the codes of proven requests within their limit.
import type pg from 'pg';
import { PRIORITIES } from '../../outbox/workflow-targets.ts';
import { countOf, resetOf, SECOND_ONCE } from '../../limits/rate-window.query.ts';
import { toArrayParameter } from '../../../platform/database/array-parameter.ts';
import { batchStatement } from '../../../platform/database/batcher.ts';
import { fitsChallenge } from './code-verifier.ts';
import { CODE_SECONDS, TOKEN_SECONDS } from './lifetimes.ts';

/** SQL, of a client `c` and its product `p`. */
const IS_ENABLED = `
  c.disabled_at is null and c.deleted_at is null and coalesce(p.state, '') <> 'removed'`;

export type TokenRequest = {
  clientId: string;
  /**
   * The counters: a proven request counts for its client, any other for client and address, and for
   * the address.
   */
  bucket: string;
  unprovenBucket: string;
  addressBucket: string;
  limit: number;
  addressLimit: number;
  hasSecret: boolean;
  /** Is null for a secret that we did not make. */
  secretHash: Buffer | null;
  /** Is null when nothing is exchanged. */
  codeHash: Buffer | null;
  redirectUri: string;
  challenge: string | null;
  tokenHash: Buffer;
};

export type TokenResponse = {
  isProven: boolean;
  /** Proven by a secret, or by a code that is the client's own. */
  isOwn: boolean;
  n: number;
  /** The limit of the counter that allows the fewest further requests. */
  limit: number;
  resetS: number;
  /** The scope of the new token; null without one. */
  scope: string | null;
  /** The client's product; null for a first-party client. */
  productId: string | null;
};

/**
 * SQL, of a code `a`: the request names it and knows its bindings, and the code is unused and not
 * expired.
 */
const isItsCode = (request: string) => `a.code_hash = ${request}.code_hash
      and a.client_id = ${request}.client_id and a.redirect_uri = ${request}.redirect_uri
      and ${fitsChallenge(request)} and a.consumed_at is null
      and a.created_at > gatehouse_now() - interval '${CODE_SECONDS} seconds'`;

// A client's own counter counts proven requests: a right secret, or, for a client without a secret,
// a code that would be exchanged. Each such code takes an authorization, so repeats of a person do
// not use the counter up. Requests of one counter are ranked in their order. A differing binding
// consumes nothing, and of two requests that find the same unused code, the second finds its row
// changed. The access's workflow gets a message about a member's first token for an Included
// product, which activates it. The consent is read FOR SHARE, and revoking updates it first: no
// token outlives the revocation.
const EXCHANGE = `
  with request as materialized (
    select input.*, c.kind, c.product_id, ${SECOND_ONCE} as second, ${IS_ENABLED} and case when c.kind = 'confidential' then exists (
        select 1 from client_secret s
        where s.client_id = c.id and s.secret_hash = input.secret_hash
          and (s.expires_at is null or s.expires_at > gatehouse_now()))
      else not input.has_secret end as is_proven
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::bool[],
        $8::bytea[], $9::bytea[], $10::text[], $11::text[], $12::bytea[]) with ordinality
      input (client_id, own_bucket, unproven_bucket, address_bucket, most, address_most, has_secret,
        secret_hash, code_hash, redirect_uri, challenge, token_hash, place)
    join oauth_client c on c.id = input.client_id
    left join product p on p.id = c.product_id
  ), decided as materialized (
    select request.*, is_proven and (kind = 'confidential' or exists (
      select 1 from authorization_code a where ${isItsCode('request')})) as is_own
    from request
  ), ranked as materialized (
    select place, bucket, allowed, second, count(*) over (partition by bucket) as callers,
      row_number() over (partition by bucket order by place) as rank
    from (
      select place, own_bucket as bucket, most as allowed, second from decided where is_own
      union all select place, unproven_bucket, most, second from decided where not is_own
      union all select place, address_bucket, address_most, second from decided where not is_own
    ) counters
  ), counted as (
    ${countOf('select bucket, callers as n, second from ranked where rank = 1 order by bucket')}
  ), tightest as materialized (
    select distinct on (place) place, allowed, (counted.n - callers + rank)::int as n
    from ranked join counted using (bucket) order by place, counted.n - callers + rank - allowed desc
  ), accepted as materialized (
    select decided.*, allowed, n from decided join tightest using (place)
  ), live as materialized (
    select a.ctid as place_of_code, d.token_hash
    from accepted d join authorization_code a on ${isItsCode('d')}
    join consent on consent.person_id = a.person_id and consent.client_id = a.client_id and consent.revoked_at is null
    join person h on h.id = a.person_id and h.deleted_at is null
    where d.is_proven and d.n <= d.allowed
    for share of consent
  ), consumed as (
    update authorization_code a set consumed_at = gatehouse_now(), token_hash = live.token_hash
    from live where a.ctid = live.place_of_code and a.consumed_at is null
    returning a.token_hash, a.client_id, a.person_id, a.scope
  ), issued as (
    insert into access_token (token_hash, client_id, person_id, scope, expires_at)
    select token_hash, client_id, person_id, scope,
      gatehouse_now() + interval '${TOKEN_SECONDS} seconds'
    from consumed returning token_hash, scope, client_id, person_id
  ), activation as (
    insert into outbox (workflow_type, workflow_id, input, priority, fairness_key, message)
    select 'entitlementLifecycle', 'entitlement:' || p.id || ':' || issued.person_id,
      jsonb_build_object('productId', p.id, 'personId', issued.person_id), ${PRIORITIES.access},
      coalesce(p.owner_team_id, p.owner_person_id)::text, '{"kind": "signed_in"}'
    from issued join oauth_client c on c.id = issued.client_id
    join product p on p.id = c.product_id and p.included_with_member
    where exists (select from membership m
      left join membership_activation o on o.membership_id = m.id and o.product_id = p.id
        and o.closed_at is null
      where m.person_id = issued.person_id and o.membership_id is null
        and (m.status in ('active', 'past_due', 'canceling') or m.ends_at > gatehouse_now()))
  )
  select a.place, a.is_proven as "isProven", a.is_own as "isOwn", a.n, a.allowed as "limit", ${resetOf('a.second')} as "resetS", issued.scope,
    a.product_id as "productId"
  from accepted a left join issued using (token_hash)`;

/** Returns null when the client is unknown: the request is not counted here. */
export const askForToken = batchStatement<TokenRequest, TokenResponse | null>({
  async many(pool, all) {
    const { rows } = await pool.query<TokenResponse & { place: string }>({
      name: 'exchange_codes',
      text: EXCHANGE,
      values: [
        toArrayParameter(all.map(({ clientId }) => clientId)),
        toArrayParameter(all.map(({ bucket }) => bucket)),
        toArrayParameter(all.map(({ unprovenBucket }) => unprovenBucket)),
        toArrayParameter(all.map(({ addressBucket }) => addressBucket)),
        toArrayParameter(all.map(({ limit }) => limit)),
        toArrayParameter(all.map(({ addressLimit }) => addressLimit)),
        toArrayParameter(all.map(({ hasSecret }) => hasSecret)),
        toArrayParameter(all.map(({ secretHash }) => secretHash)),
        toArrayParameter(all.map(({ codeHash }) => codeHash)),
        all.map(({ redirectUri }) => redirectUri),
        toArrayParameter(all.map(({ challenge }) => challenge)),
        toArrayParameter(all.map(({ tokenHash }) => tokenHash)),
      ],
    });
    const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
    return all.map((_, index) => byPlace.get(index + 1) ?? null);
  },
});

const REPLAY_GRACE_SECONDS = 10;

type Replay = Pick<TokenRequest, 'clientId' | 'codeHash' | 'redirectUri' | 'challenge'>;

// A code that comes back was stolen or is in a browser's history: its token ends. A page that
// renders twice sends it again at once with the right verifier: that request is only refused.
export async function punishReplay(pool: pg.Pool, replay: Replay): Promise<void> {
  await pool.query({
    name: 'punish_replay',
    text: `update access_token t set revoked_at = gatehouse_now()
      from authorization_code a
      where a.code_hash = $1 and a.consumed_at is not null and t.token_hash = a.token_hash
        and t.revoked_at is null
        and not (a.client_id = $2 and a.redirect_uri = $3 and a.challenge is not distinct from $4
          and a.consumed_at > gatehouse_now() - interval '${REPLAY_GRACE_SECONDS} seconds')`,
    values: [replay.codeHash, replay.clientId, replay.redirectUri, replay.challenge],
  });
}
