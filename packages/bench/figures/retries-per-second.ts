import { clearDeliveries, makeDeliveries, makeEndpoints, notify } from '../data/deliveries.ts';
import type { Measurement } from '../figure.ts';
import { compareSides, type Side } from '../measure/rounds.ts';
import { databaseTime, untilRecorded } from '../recorded.ts';
import type { Stage } from '../stage.ts';
import { figures } from './table.ts';

const ENDPOINTS = 50;
const COUNT = 200;

// What an operator's retry writes: a step that is due at once.
const RETRY = `
  with queued as (
    update delivery_state set status = 'retrying', run = run + 1, step = 0, due_at = gatehouse_now()
    where status = 'dead' returning delivery_id as id
  )
  insert into outbox (workflow_type, workflow_id, input, priority, message)
  select 'webhookDelivery', 'delivery:' || id, jsonb_build_object('deliveryId', id), 3,
    '{"kind":"retry"}' from queued`;

export const retriesPerSecond: Measurement = {
  figures: figures('P17'),
  async measure(stage) {
    const rounds = await compareSides(stage, () => startSides(stage));
    return rounds.map(({ ours, empty }) => ({ P17: ours / empty }));
  },
};

async function startSides(stage: Stage) {
  const { origin } = await stage.servers.get('receiver');
  const empty = await stage.servers.get('empty-worker');
  await stage.servers.get('worker');
  const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: origin });
  const toSide = (name: string, run: () => Promise<number>): Side<number> => ({
    warmUp: run,
    async measure() {
      const perS = COUNT / (await run());
      stage.say(`    ${name}: ${perS.toFixed(1)}/s`);
      return perS;
    },
  });
  return {
    ours: toSide('ours', () => retryAll(stage, endpointIds)),
    empty: toSide('empty', () => empty.ask<number>({ count: COUNT })),
  };
}

/** Returns the seconds that it took. */
async function retryAll(stage: Stage, endpointIds: string[]): Promise<number> {
  const { pool } = stage;
  await clearDeliveries(pool);
  const targets = Array.from({ length: COUNT }, (_, n) => endpointIds[n % ENDPOINTS]!);
  await makeDeliveries(pool, targets, 'dead');
  const since = await databaseTime(stage);
  await pool.query(RETRY);
  await notify(pool, 'gatehouse_outbox');
  return untilRecorded(stage, { count: COUNT, since });
}
