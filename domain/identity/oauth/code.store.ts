import type pg from 'pg';
import { shareStatement } from '../../platform/batch.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { hashCredential, isWellFormedCredential, newCredential } from '../../platform/ids.ts';
import { sha256Base64url } from '../../platform/secrets.ts';
import type { KeptRequest } from './consent.store.ts';

export const TOKEN_SECONDS = 2_592_000;
export const CODE_SECONDS = 300;
const REPLAY_GRACE_SECONDS = 10;

/** Where the person allows it: a code of what was asked for. */
export type CodeRequest = Pick<KeptRequest, 'clientId' | 'redirectUri' | 'scope' | 'challenge'>;

/** The person's yes: writes the consent and a code for it in one transaction. */
export async function grantCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string> {
  const { clientId, scope } = request;
  await rows(
    em,
    `insert into consent (person_id, client_id, scopes, granted_at)
     values (?, ?, string_to_array(?, ' '), gatehouse_now())
     on conflict (person_id, client_id) do update
       set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`,
    [personId, clientId, scope],
  );
  return writeCode(em, personId, request);
}

/** The same yes once more: a code only while the consent that it has written stands. */
export async function repeatCode(
  em: EntityManager,
  personId: string,
  request: CodeRequest,
): Promise<string | null> {
  const standing = await rows(
    em,
    `select 1 from consent where person_id = ? and client_id = ? and revoked_at is null for share`,
    [personId, request.clientId],
  );
  return standing.length === 0 ? null : writeCode(em, personId, request);
}

async function writeCode(
  em: EntityManager,
  personId: string,
  { clientId, redirectUri, scope, challenge }: CodeRequest,
): Promise<string> {
  const code = newCredential('gac_');
  await rows(
    em,
    `insert into authorization_code (code_hash, client_id, person_id, redirect_uri, scope, challenge)
     values (?, ?, ?, ?, ?, ?)`,
    [hashCredential(code), clientId, personId, redirectUri, scope, challenge],
  );
  return code;
}

export type Exchange = {
  code: string;
  clientId: string;
  redirectUri: string;
  /** Absent exactly where no challenge was stored. */
  verifier: string | null;
};

type Attempt = Omit<Exchange, 'code' | 'verifier'> & {
  codeHash: Buffer;
  challenge: string | null;
  tokenHash: Buffer;
};

// One statement consumes the codes and stores the tokens: any binding that differs consumes nothing.
// The consent is read FOR SHARE, and revoking updates it first: no token outlives the revocation.
const exchangeOf = (asked: string) => `
  with asked as materialized (${asked}),
  live as materialized (
    select a.code_hash from authorization_code a
    join consent k on k.person_id = a.person_id and k.client_id = a.client_id and k.revoked_at is null
    join person p on p.id = a.person_id and p.deleted_at is null
    where a.code_hash in (select code_hash from asked) order by a.code_hash for share of k
  ), consumed as (
    update authorization_code a set consumed_at = gatehouse_now(), token_hash = asked.token_hash
    from live join asked using (code_hash)
    where a.code_hash = live.code_hash and a.client_id = asked.client_id
      and a.redirect_uri = asked.redirect_uri and a.challenge is not distinct from asked.challenge
      and a.consumed_at is null
      and a.created_at > gatehouse_now() - interval '${CODE_SECONDS} seconds'
    returning a.token_hash, a.client_id, a.person_id, a.scope
  )
  insert into access_token (token_hash, client_id, person_id, scope, expires_at)
  select token_hash, client_id, person_id, scope, gatehouse_now() + interval '${TOKEN_SECONDS} seconds'
  from consumed returning token_hash, scope`;

const COLUMNS = '(code_hash, client_id, redirect_uri, challenge, token_hash)';
const EXCHANGE_ONE = exchangeOf(
  `select * from (values ($1::bytea, $2::text, $3::text, $4::text, $5::bytea)) a ${COLUMNS}`,
);
const EXCHANGE_MANY = exchangeOf(
  `select * from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bytea[]) a ${COLUMNS}`,
);

type Issued = { token_hash: Buffer; scope: string };

/** The scope of the token, which is stored now; null where the code was not exchanged. */
const tryExchange = shareStatement<Attempt, string | null>({
  async one(pool, { codeHash, clientId, redirectUri, challenge, tokenHash }) {
    const { rows: issued } = await pool.query<Issued>({
      name: 'exchange_code',
      text: EXCHANGE_ONE,
      values: [codeHash, clientId, redirectUri, challenge, tokenHash],
    });
    return issued[0]?.scope ?? null;
  },
  async many(pool, attempts) {
    const { rows: issued } = await pool.query<Issued>({
      name: 'exchange_codes',
      text: EXCHANGE_MANY,
      values: [
        attempts.map(({ codeHash }) => codeHash),
        attempts.map(({ clientId }) => clientId),
        attempts.map(({ redirectUri }) => redirectUri),
        attempts.map(({ challenge }) => challenge),
        attempts.map(({ tokenHash }) => tokenHash),
      ],
    });
    const scopes = new Map(issued.map((row) => [row.token_hash.toString('hex'), row.scope]));
    return attempts.map(({ tokenHash }) => scopes.get(tokenHash.toString('hex')) ?? null);
  },
});

/** The token of a code's first exchange; null means invalid_grant. Of concurrent exchanges one succeeds. */
export async function exchangeCode(
  pool: pg.Pool,
  exchange: Exchange,
): Promise<{ token: string; scope: string } | null> {
  if (!isWellFormedCredential(exchange.code, 'gac_')) return null;
  const codeHash = hashCredential(exchange.code);
  const challenge = exchange.verifier === null ? null : sha256Base64url(exchange.verifier);
  const token = newCredential('gat_');
  const { clientId, redirectUri } = exchange;
  const tokenHash = hashCredential(token);
  const scope = await tryExchange(pool, { codeHash, clientId, redirectUri, challenge, tokenHash });
  if (scope !== null) return { token, scope };
  await punishReplay(pool, { ...exchange, codeHash, challenge });
  return null;
}

// A code that comes back was stolen or is still in a browser's history: its token dies. A page that
// renders twice sends it again at once, with the right verifier: that one is only refused.
async function punishReplay(
  pool: pg.Pool,
  replay: Exchange & { codeHash: Buffer; challenge: string | null },
): Promise<void> {
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
