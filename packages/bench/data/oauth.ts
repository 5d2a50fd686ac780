import type pg from 'pg';
import { hashCredential, newCredential } from '../../../domain/shared/ids.ts';
import { PRODUCTS, productId } from './catalog.ts';
import { PEOPLE, personId } from './people.ts';

const CLIENTS = 10_000;
/** The tokens that can be used in turn without any of them meeting its limit. */
const USED_TOKENS = 20_000;
const REDIRECT_URI = 'https://app.example/callback';
const SCOPE = 'identity entitlements';

/** The client that the n-th person uses, as an expression of SQL. */
const clientOf = (n: string) => `'gcl_' || lpad((${n} % ${CLIENTS})::text, 22, '0')`;

/** The secret is one for all clients, each of which has it as its own. */
export async function loadOauth(pool: pg.Pool) {
  const secret = newCredential('gcs_');
  await loadClients(pool, secret);
  const tokens = Array.from({ length: USED_TOKENS }, () => newCredential('gat_'));
  await loadTokens(pool, tokens);
  return { tokens, secret, redirectUri: REDIRECT_URI };
}

async function loadClients(pool: pg.Pool, secret: string): Promise<void> {
  await pool.query(
    `insert into oauth_client (id, product_id, kind, name)
     select ${clientOf('n')}, ${productId(`n % ${PRODUCTS}`)}, 'confidential', 'App ' || n
     from generate_series(0, ${CLIENTS - 1}) n`,
  );
  await pool.query(
    `insert into client_secret (client_id, slot, secret_hash, last_four)
     select id, 1, $1, 'last' from oauth_client`,
    [hashCredential(secret)],
  );
  await pool.query('insert into redirect_uri (client_id, uri) select id, $1 from oauth_client', [
    REDIRECT_URI,
  ]);
  await pool.query('vacuum analyze oauth_client, client_secret, redirect_uri');
}

/** The first people hold the tokens that are used, the others ones that nobody knows. */
async function loadTokens(pool: pg.Pool, tokens: string[]): Promise<void> {
  await pool.query(
    `insert into consent (person_id, client_id, scopes, granted_at)
     select ${personId('n')}, ${clientOf('n')}, string_to_array($1, ' '), now()
     from generate_series(1, ${PEOPLE}) n`,
    [SCOPE],
  );
  await pool.query(
    `insert into access_token (token_hash, client_id, person_id, scope, expires_at)
     select coalesce(token_hash, sha256(n::text::bytea)), ${clientOf('n')}, ${personId('n')}, $2,
       now() + interval '30 days'
     from generate_series(1, ${PEOPLE}) n
     left join unnest($1::bytea[]) with ordinality as used (token_hash, m) on m = n`,
    [tokens.map(hashCredential), SCOPE],
  );
  await pool.query('vacuum analyze consent, access_token');
}

/** Fresh tokens for a round, of people who have not used their product yet: so many after the first `after`. */
export async function issueTokens(
  pool: pg.Pool,
  { after, count }: { after: number; count: number },
): Promise<string[]> {
  if (after + count > PEOPLE) throw new RangeError('nobody is left who has not used their product');
  const tokens = Array.from({ length: count }, () => newCredential('gat_'));
  await pool.query(
    `insert into access_token (token_hash, client_id, person_id, scope, expires_at)
     select token_hash, ${clientOf('(n + $2)')}, ${personId('n + $2')}, $3, now() + interval '30 days'
     from unnest($1::bytea[]) with ordinality as given (token_hash, n)`,
    [tokens.map(hashCredential), after, SCOPE],
  );
  return tokens;
}

/** Fresh codes for a round, as the consent page would have left them, with who may exchange each. */
export async function grantCodes(
  pool: pg.Pool,
  count: number,
): Promise<{ code: string; clientId: string }[]> {
  const codes = Array.from({ length: count }, () => newCredential('gac_'));
  const { rows } = await pool.query<{ clientId: string }>(
    `insert into authorization_code (code_hash, client_id, person_id, redirect_uri, scope)
     select code_hash, ${clientOf('n')}, ${personId('n')}, $2, $3
     from unnest($1::bytea[]) with ordinality as given (code_hash, n)
     returning client_id as "clientId"`,
    [codes.map(hashCredential), REDIRECT_URI, SCOPE],
  );
  return codes.map((code, index) => ({ code, clientId: rows[index]!.clientId }));
}
