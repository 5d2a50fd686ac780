import type pg from 'pg';
import { hashCredential, newCredential } from '../../../domain/shared/ids.ts';
import { productId } from './catalog.ts';
import { personId, personIdOf } from './people.ts';

export type Revocable = { credential: string; path: string; revoke(): Promise<void> };

/** The first client of the bench and its person. */
const CLIENT_ID = `gcl_${'0'.repeat(22)}`;

/** Fresh keys and tokens in equal parts, which nothing else uses. */
export async function issueRevocable(pool: pg.Pool, count: number): Promise<Revocable[]> {
  const keys = Array.from({ length: count / 2 }, () => newCredential('gk_live_'));
  const tokens = Array.from({ length: count / 2 }, () => newCredential('gat_'));
  await pool.query(
    `insert into api_key (id, product_id, key_hash, mode, name, last_four)
     select gen_random_uuid(), ${productId('0')}, key_hash, 'live', 'Server', 'last'
     from unnest($1::bytea[]) given (key_hash)`,
    [keys.map(hashCredential)],
  );
  await pool.query(
    `insert into access_token (token_hash, client_id, person_id, scope, expires_at)
     select token_hash, $2, ${personId('1')}, 'identity', now() + interval '30 days'
     from unnest($1::bytea[]) given (token_hash)`,
    [tokens.map(hashCredential), CLIENT_ID],
  );
  const path = `/api/v1/entitlements?user_id=${personIdOf(1)}`;
  return keys.flatMap((key, index) => [
    { credential: key, path, revoke: () => revokeKey(pool, key) },
    {
      credential: tokens[index]!,
      path: '/api/v1/me',
      revoke: () => revokeToken(pool, tokens[index]!),
    },
  ]);
}

async function revokeKey(pool: pg.Pool, key: string): Promise<void> {
  await pool.query('update api_key set revoked_at = gatehouse_now() where key_hash = $1', [
    hashCredential(key),
  ]);
}

async function revokeToken(pool: pg.Pool, token: string): Promise<void> {
  await pool.query('update access_token set revoked_at = gatehouse_now() where token_hash = $1', [
    hashCredential(token),
  ]);
}
