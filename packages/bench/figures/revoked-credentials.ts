import { Agent } from 'undici';
import { createJob } from '../measure/contest.ts';
import { entitlementCheck } from '../measure/contestants.ts';
import { issueRevocable, type Revocable } from '../data/revocable.ts';
import type { Measurement } from '../figure.ts';
import type { Server } from '../start/process.ts';
import type { Stage } from '../stage.ts';

const PROCESSES = 2;
/** Each is asked of both processes after it was revoked: 1,000 requests idle and as many under load. */
const CREDENTIALS = 500;
const AT_ONCE = 4;
const LOAD_MS = 2_000;

export const revokedCredentials: Measurement = {
  figures: [
    {
      id: 'P11',
      what: 'of 2,000 requests with a revoked credential, accepted',
      bounds: { must: 0, stretch: null, better: 'lower' },
    },
  ],
  isByNameOnly: true,
  async measure(stage) {
    await stage.data.oauth();
    const servers = await stage.servers.get('api', PROCESSES);
    const idle = await countAccepted(stage, servers);
    const loaded = await underLoad(stage, servers, () => countAccepted(stage, servers));
    stage.say(`  accepted: ${idle} idle, ${loaded} under load`);
    return [{ P11: idle + loaded }];
  },
};

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
