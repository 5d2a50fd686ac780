import { MOST_ENDPOINTS_OF_ONE_OWNER } from '../../../domain/catalog/owner.repository.ts';
import * as data from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { describeCpu, watchCpu } from '../measure/cpu.ts';
import { compareSides, type Side } from '../measure/rounds.ts';
import { databaseTime, untilRecorded } from '../recorded.ts';
import type { ServerName } from '../start/servers.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const MOST_OF_ONE = MOST_ENDPOINTS_OF_ONE_OWNER;
const ENDPOINTS = 2 * MOST_OF_ONE;
const COUNT = 20_000;

export const deliveriesPerSecond: Measurement = {
  figures: figures('P14', 'P14Q'),
  async measure(stage) {
    const rounds = await compareSides(stage, () => startSides(stage));
    return rounds.map(({ ours, bare, pgBoss, graphileWorker }) => ({
      P14: ours / bare,
      P14Q: ours / Math.max(pgBoss, graphileWorker),
    }));
  },
};

/** Returns the seconds that all deliveries took. */
type Deliver = () => Promise<number>;

async function startSides(stage: Stage) {
  const { origin } = await stage.servers.get('receiver');
  const endpointIds = await data.makeEndpoints(stage, { count: ENDPOINTS, url: origin });
  const shared = [endpointIds.slice(0, MOST_OF_ONE), endpointIds.slice(MOST_OF_ONE)];
  await data.shareOwners(stage.pool, shared);
  const message = { url: `${origin}/bare`, body: await makeBody(stage, endpointIds[0]!) };
  const toSide = async (name: ServerName, deliver?: Deliver): Promise<Side<number>> => {
    const server = await stage.servers.get(name);
    const run = deliver ?? (() => server.ask<number>({ message, count: COUNT }));
    return {
      warmUp: run,
      async measure() {
        const readCpu = watchCpu(stage, [server]);
        const perS = COUNT / (await run());
        stage.say(`    ${name}: ${Math.round(perS)}/s, ${describeCpu(readCpu(COUNT))}`);
        await fetch(`${origin}/control`); // forgets what it has received
        return perS;
      },
    };
  };
  return {
    ours: await toSide('worker', () => dispatch(stage, endpointIds)),
    bare: await toSide('sender'),
    pgBoss: await toSide('pg-boss'),
    graphileWorker: await toSide('graphile-worker'),
  };
}

/** Takes the body that the product itself writes. */
async function makeBody({ pool }: Stage, endpointId: string): Promise<string> {
  await data.makeDeliveries(pool, [endpointId]);
  const { rows } = await pool.query<{ body: string }>(
    `select convert_from(body, 'utf8') as body from delivery`,
  );
  await data.clearDeliveries(pool);
  return rows[0]!.body;
}

/** Clears the tables just before it fills them: statements may be planned for empty ones meanwhile. */
async function dispatch(stage: Stage, endpointIds: string[]): Promise<number> {
  const { pool } = stage;
  await data.clearDeliveries(pool);
  const targets = Array.from({ length: COUNT }, (_, n) => endpointIds[n % endpointIds.length]!);
  await data.makeDeliveries(pool, targets);
  const since = await databaseTime(stage);
  await data.notify(pool, 'gatehouse_delivery');
  return untilRecorded(stage, { count: COUNT, since });
}
