import { MOST_ENDPOINTS_OF_ONE_OWNER } from '../../../domain/catalog/ownership/ownership.repository.ts';
import * as data from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { compareSides, type Side } from '../measure/rounds.ts';
import { databaseTime, fetchSeconds, untilRecorded } from '../recorded.ts';
import type { ServerName } from '../start/servers.ts';
import type { Stage } from '../stage.ts';

const MOST_OF_ONE = MOST_ENDPOINTS_OF_ONE_OWNER;
const ENDPOINTS = 2 * MOST_OF_ONE;
const COUNT = 20_000;
const WARMING_COUNT = 5_000;

export const deliveriesPerSecond: Measurement = {
  figures: [
    {
      id: 'P14',
      what: 'webhook first attempts, event row to recorded 2xx, 200 endpoints of two owners / bare undici, deliveries/s',
      bounds: { must: 0.35, stretch: 0.55, better: 'higher' },
    },
    {
      id: 'P14Q',
      what: 'the same / the better of pg-boss and graphile-worker',
      bounds: { must: 1, stretch: 1.5, better: 'higher' },
    },
  ],
  async measure(stage) {
    const rounds = await compareSides(stage, () => startSides(stage));
    return rounds.map(({ ours, bare, pgBoss, graphileWorker }) => ({
      P14: ours / bare,
      P14Q: ours / Math.max(pgBoss, graphileWorker),
    }));
  },
};

/** Counts deliveries per second. */
type Deliver = (count: number) => Promise<number>;

async function startSides(stage: Stage) {
  const [receiver] = await stage.servers.get('receiver');
  const { origin } = receiver!;
  const endpointIds = await data.makeEndpoints(stage, { count: ENDPOINTS, url: origin });
  const shared = [endpointIds.slice(0, MOST_OF_ONE), endpointIds.slice(MOST_OF_ONE)];
  await data.shareOwners(stage.pool, shared);
  const message = { url: `${origin}/bare`, body: await makeBody(stage, endpointIds[0]!) };
  await stage.servers.get('worker');
  const toSide = (name: string, deliver: Deliver): Side<number> => ({
    warmUp: () => deliver(WARMING_COUNT),
    async measure() {
      const perS = await deliver(COUNT);
      await fetch(`${origin}/control`); // forgets what it has received
      stage.say(`    ${name}: ${Math.round(perS)}/s`);
      return perS;
    },
  });
  const byServer = (name: ServerName) =>
    toSide(name, (count) => askFor(stage, { name, message, count }));
  return {
    ours: toSide('ours', (count) => dispatch(stage, endpointIds, count)),
    bare: byServer('sender'),
    pgBoss: byServer('pg-boss'),
    graphileWorker: byServer('graphile-worker'),
  };
}

/** As the product writes it. */
async function makeBody({ pool }: Stage, endpointId: string): Promise<string> {
  await data.makeDeliveries(pool, [endpointId]);
  const { rows } = await pool.query<{ body: string }>(
    `select convert_from(body, 'utf8') as body from delivery`,
  );
  await data.clearDeliveries(pool);
  return rows[0]!.body;
}

async function dispatch(stage: Stage, endpointIds: string[], count: number): Promise<number> {
  const { pool } = stage;
  const targets = Array.from({ length: count }, (_, n) => endpointIds[n % endpointIds.length]!);
  await data.makeDeliveries(pool, targets);
  const since = await databaseTime(stage);
  await data.notify(pool, 'gatehouse_delivery');
  const seconds = await untilRecorded(stage, { count, since });
  await data.clearDeliveries(pool);
  return count / seconds;
}

type Sends = { name: ServerName; message: { url: string; body: string }; count: number };

async function askFor({ servers }: Stage, { name, message, count }: Sends): Promise<number> {
  const [server] = await servers.get(name);
  const query = new URLSearchParams({ ...message, count: String(count) });
  return count / (await fetchSeconds(`${server!.origin}/?${query}`));
}
