import { hash, randomUUID } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import pg from 'pg';
import {
  BETTER_AUTH_PATH,
  BETTER_AUTH_SCHEMA,
  createAuthOptions,
} from '../servers/parts/better-auth-options.ts';
import { KEYS } from './catalog.ts';

/** The tables and one key as better-auth makes them; the other keys are copies of that one. */
export async function loadVerifiableKeys({ options }: pg.Pool) {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    options: BETTER_AUTH_PATH,
    max: 1,
  });
  try {
    await pool.query(`create schema ${BETTER_AUTH_SCHEMA}`);
    const authOptions = createAuthOptions(pool);
    await (await getMigrations(authOptions)).runMigrations();
    const owner = await insertUser(pool);
    const model = await betterAuth(authOptions).api.createApiKey({ body: { userId: owner } });
    return { keys: await copyKey(pool, model) };
  } finally {
    await pool.end();
  }
}

async function insertUser(pool: pg.Pool): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
     values ($1, 'Owner', 'owner@example.com', true, now(), now())`,
    [id],
  );
  return id;
}

async function copyKey(pool: pg.Pool, model: { id: string; key: string }): Promise<string[]> {
  const keys = Array.from({ length: KEYS }, (_, index) => `${model.key}${index}`);
  await pool.query(
    `insert into apikey select (jsonb_populate_record(apikey,
       jsonb_build_object('id', gen_random_uuid(), 'key', key_hash))).*
     from apikey, unnest($2::text[]) given (key_hash) where id = $1`,
    [model.id, keys.map((key) => hash('sha256', key, 'base64url'))],
  );
  await pool.query('vacuum analyze apikey');
  return keys;
}
