import type pg from 'pg';
import { OIDC_CLIENT_ID } from '../servers/parts/oidc-client.ts';
import { PEOPLE, personId } from './people.ts';

const USED_TOKENS = 20_000;
const DAYS_30_S = 2_592_000;

const TOKEN = `substr(encode(sha256(('token ' || n)::bytea), 'hex'), 1, 43)`;
const GRANT = `substr(encode(sha256(('grant ' || n)::bytea), 'hex'), 1, 43)`;

/** A token and a grant for everybody, as oidc-provider itself stores them. */
export async function loadPayloads(pool: pg.Pool) {
  await pool.query(
    `create schema if not exists bench;
     create table bench.oidc_payload (
       model text not null,
       id text not null,
       payload jsonb not null,
       grant_id text,
       uid text,
       expires_at timestamptz,
       primary key (model, id)
     );
     create index oidc_payload_grant on bench.oidc_payload (grant_id) where grant_id is not null;
     create index oidc_payload_uid on bench.oidc_payload (uid) where uid is not null`,
  );
  await pool.query(
    `with issued as (
       select n, ${TOKEN} as token, ${GRANT} as grant_id, jsonb_build_object(
         'iat', floor(extract(epoch from now())), 'exp', floor(extract(epoch from now())) + ${DAYS_30_S},
         'accountId', ${personId('n')}, 'clientId', $1::text) as shared
       from generate_series(1, ${PEOPLE}) n
     )
     insert into bench.oidc_payload (model, id, payload, grant_id, expires_at)
     select 'AccessToken', token, shared || jsonb_build_object('kind', 'AccessToken', 'jti', token,
       'grantId', grant_id, 'gty', 'authorization_code', 'scope', 'openid profile'),
       grant_id, now() + interval '30 days' from issued
     union all
     select 'Grant', grant_id, shared || jsonb_build_object('kind', 'Grant', 'jti', grant_id,
       'openid', jsonb_build_object('scope', 'openid profile')),
       null, now() + interval '30 days' from issued`,
    [OIDC_CLIENT_ID],
  );
  await pool.query('vacuum analyze bench.oidc_payload');
  const { rows } = await pool.query<{ token: string }>(
    `select ${TOKEN} as token from generate_series(1, ${USED_TOKENS}) n`,
  );
  return { tokens: rows.map(({ token }) => token) };
}
