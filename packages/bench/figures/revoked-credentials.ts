import type pg from 'pg';
import { Agent } from 'undici';
import { hashCredential, newCredential } from '../../../domain/shared/ids.ts';
import { productId } from '../data/catalog.ts';
import { personId, personIdOf } from '../data/people.ts';
import { createJob } from '../measure/contest.ts';
import { entitlementCheck } from '../measure/contestants.ts';
import type { Measurement } from '../figure.ts';
import type { Server } from '../start/process.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const PROCESSES = 2;
/** Each is asked of both processes after it was revoked: 1,000 requests idle and as many under load. */
const CREDENTIALS = 500;
const AT_ONCE = 4;
const LOAD_MS = 2_000;
/** The first client of the bench. */
const CLIENT_ID = `gcl_${'0'.repeat(22)}`;

export const revokedCredentials: Measurement = {
  figures: figures('P11'),
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.oauth();
    const servers = await stage.servers.getSeveral('api', PROCESSES);
    const idle = await countAccepted(stage, servers);
    const loaded = await underLoad(stage, servers, () => countAccepted(stage, servers));
    stage.say(`  accepted: ${idle} idle, ${loaded} under load`);
    return [{ P11: idle + loaded }];
  },
};

type Revocable = { credential: string; path: string; revoke(): Promise<unknown> };

/** Fresh keys and tokens in equal parts, which nothing else uses. */
async function issueRevocable(pool: pg.Pool, count: number): Promise<Revocable[]> {
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
  const revoke = (table: 'api_key' | 'access_token', credential: string) => () => {
    const hash = table === 'api_key' ? 'key_hash' : 'token_hash';
    const sql = `update ${table} set revoked_at = gatehouse_now() where ${hash} = $1`;
    return pool.query(sql, [hashCredential(credential)]);
  };
  const check = `/api/v1/entitlements?user_id=${personIdOf(1)}`;
  return [
    ...keys.map((key) => ({ credential: key, path: check, revoke: revoke('api_key', key) })),
    ...tokens.map((token) => {
      return { credential: token, path: '/api/v1/me', revoke: revoke('access_token', token) };
    }),
  ];
}

async function countAccepted({ pool }: Stage, servers: Server[]): Promise<number> {
  const agent = new Agent({ connections: AT_ONCE });
  const waiting = await issueRevocable(pool, CREDENTIALS);
  let accepted = 0;
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const before = await askAll(agent, { servers, asked: next });
      if (before.some((status) => status !== 200)) throw new Error(`refused before: ${before}`);
      await next.revoke();
      const after = await askAll(agent, { servers, asked: next });
      accepted += after.filter((status) => status === 200).length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await agent.close();
  return accepted;
}

async function askAll(
  agent: Agent,
  { servers, asked }: { servers: Server[]; asked: Revocable },
): Promise<number[]> {
  const headers = { authorization: `Bearer ${asked.credential}` };
  const { path } = asked;
  return Promise.all(
    servers.map(async ({ origin }) => {
      const { statusCode, body } = await agent.request({ origin, path, method: 'GET', headers });
      await body.dump();
      return statusCode;
    }),
  );
}

/** One load after the other until the work is done. */
async function underLoad(
  stage: Stage,
  servers: Server[],
  work: () => Promise<number>,
): Promise<number> {
  const job = await createJob(await entitlementCheck(stage), { servers, durationMs: LOAD_MS });
  const over = new AbortController();
  const load = async () => {
    while (!over.signal.aborted) await stage.generator.run(job);
  };
  const loading = load();
  try {
    return await work();
  } finally {
    over.abort();
    await loading;
  }
}
