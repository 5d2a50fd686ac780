import type { Figure } from '../../figure.ts';
import { clearDeliveries, makeDeliveries, makeEndpoints, notify } from '../../data/deliveries.ts';
import { databaseTime, fetchSeconds, untilRecorded } from '../../recorded.ts';
import type { Stage } from '../../stage.ts';
import { ratios } from '../../measure/statistics.ts';

const ENDPOINTS = 50;
const COUNT = 200;
const ROUNDS = 5;

// What an operator's retry writes: a step that is due at once.
const RETRY = `
  with queued as (
    update delivery_state set status = 'retrying', run = run + 1, step = 0, due_at = gatehouse_now()
    where status = 'dead' returning delivery_id as id
  )
  insert into outbox (workflow_type, workflow_id, input, priority, message)
  select 'webhookDelivery', 'delivery:' || id, jsonb_build_object('deliveryId', id), 3,
    '{"kind":"retry"}' from queued`;

export const p17: Figure = {
  id: 'P17',
  what: 'retries without a wait, recorded / workflows with one empty activity, per second',
  bounds: { must: 0.4, stretch: 0.6, better: 'higher' },
  async measure(stage) {
    const [receiver] = await stage.servers.get('receiver');
    const [empty] = await stage.servers.get('empty-worker');
    await stage.servers.get('worker');
    const endpointIds = await makeEndpoints(stage, { count: ENDPOINTS, url: receiver!.origin });
    const measured: number[] = [];
    const reference: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bare = COUNT / (await fetchSeconds(`${empty!.origin}/?count=${COUNT}`));
      const ours = await retryAll(stage, endpointIds);
      if (round === 0) continue;
      measured.push(ours);
      reference.push(bare);
      stage.say(`  round ${round}, ${ours.toFixed(1)}/s, empty ${bare.toFixed(1)}/s`);
    }
    await clearDeliveries(stage.pool);
    return ratios(measured, reference);
  },
};

async function retryAll(stage: Stage, endpointIds: string[]): Promise<number> {
  const { pool } = stage;
  await clearDeliveries(pool);
  const targets = Array.from({ length: COUNT }, (_, n) => endpointIds[n % ENDPOINTS]!);
  await makeDeliveries(pool, targets, 'dead');
  const since = await databaseTime(stage);
  await pool.query(RETRY);
  await notify(pool, 'gatehouse_outbox');
  return COUNT / (await untilRecorded(stage, { count: COUNT, since }));
}
