import type pg from 'pg';
import { shareStatement } from '../../platform/batch.ts';
import { rows, type EntityManager } from '../../platform/database.ts';
import { hashCredential, isWellFormedCredential } from '../../platform/ids.ts';

export type Bearer = {
  /** Names the token in limits and logs without being usable as one. */
  tokenId: string;
  personId: string;
  clientId: string;
  productId: string | null;
  scopes: string[];
  handle: string;
  displayName: string;
  /** Of the team that the product belongs to, or its lone owner. */
  isOwnTeam: boolean;
  /** When all this was read, by the database's clock. */
  at: Date;
};

export type BearerAnswer =
  | { kind: 'bearer'; bearer: Bearer }
  | { kind: 'gone' }
  | { kind: 'invalid' };

type BearerRow = Omit<Bearer, 'scopes' | 'tokenId' | 'at'> & {
  token_hash: Buffer;
  scope: string;
  is_gone: boolean;
  is_valid: boolean;
  at_ms: number;
};

// Validity is read in the statement that answers: a revoked token is dead on every instance at once.
const BEARER = `
  select t.token_hash, t.person_id as "personId", t.client_id as "clientId", c.product_id as "productId",
    t.scope, p.handle, p.display_name as "displayName",
    p.deleted_at is not null or c.deleted_at is not null as is_gone,
    t.revoked_at is null and t.expires_at > gatehouse_now() and c.disabled_at is null
      and coalesce(r.state, '') <> 'removed' as is_valid,
    coalesce(r.owner_person_id = t.person_id, exists (
      select 1 from team_member m where m.team_id = r.owner_team_id and m.person_id = t.person_id
    )) as "isOwnTeam",
    (extract(epoch from gatehouse_now()) * 1000)::float8 as at_ms
  from access_token t
  join person p on p.id = t.person_id
  join oauth_client c on c.id = t.client_id
  left join product r on r.id = c.product_id`;

const findRow = shareStatement<Buffer, BearerRow | null>({
  async one(pool, hash) {
    const { rows: found } = await pool.query<BearerRow>({
      name: 'find_bearer',
      text: `${BEARER} where t.token_hash = $1`,
      values: [hash],
    });
    return found[0] ?? null;
  },
  async many(pool, hashes) {
    const { rows: found } = await pool.query<BearerRow>({
      name: 'find_bearers',
      text: `${BEARER} where t.token_hash = any($1::bytea[])`,
      values: [hashes],
    });
    const byHash = new Map(found.map((row) => [row.token_hash.toString('hex'), row]));
    return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
  },
});

/** Whom a token acts for. Gone: its person or client was deleted, also where it was revoked as well. */
export async function findBearer(pool: pg.Pool, token: string): Promise<BearerAnswer> {
  if (!isWellFormedCredential(token, 'gat_')) return { kind: 'invalid' };
  const hash = hashCredential(token);
  const row = await findRow(pool, hash);
  if (!row) return { kind: 'invalid' };
  if (row.is_gone) return { kind: 'gone' };
  if (!row.is_valid) return { kind: 'invalid' };
  const { personId, clientId, productId, handle, displayName, scope, isOwnTeam } = row;
  const tokenId = hash.toString('base64url').slice(0, 22);
  const bearer = { tokenId, personId, clientId, productId, handle, displayName, isOwnTeam };
  const at = new Date(row.at_ms);
  return { kind: 'bearer', bearer: { ...bearer, scopes: scope.split(' '), at } };
}

/** The person takes an app's access away: consent first, so that no exchange under way outlives it. */
export async function revokeConsent(
  em: EntityManager,
  key: { personId: string; clientId: string },
): Promise<boolean> {
  const values = [key.personId, key.clientId];
  const revoked = await rows(
    em,
    `update consent set revoked_at = gatehouse_now()
     where person_id = ? and client_id = ? and revoked_at is null returning 1`,
    values,
  );
  await rows(
    em,
    `update access_token set revoked_at = gatehouse_now()
     where person_id = ? and client_id = ? and revoked_at is null`,
    values,
  );
  await rows(
    em,
    `delete from authorization_code where person_id = ? and client_id = ? and consumed_at is null`,
    values,
  );
  return revoked.length === 1;
}

/** RFC 7009: a client gives back a token of its own; anybody else's stays. */
export async function revokeToken(
  pool: pg.Pool,
  given: { token: string; clientId: string },
): Promise<void> {
  if (!isWellFormedCredential(given.token, 'gat_')) return;
  await pool.query(
    `update access_token set revoked_at = gatehouse_now()
     where token_hash = $1 and client_id = $2 and revoked_at is null`,
    [hashCredential(given.token), given.clientId],
  );
}
