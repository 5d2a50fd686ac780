import test from 'ava';
import { createClaims } from '../../../domain/webhooks/deliveries/claims.command.ts';
import { recordOutcomes } from '../../../domain/webhooks/deliveries/record-attempts.query.ts';
import { closeDeliveries } from '../../../domain/webhooks/deliveries/end-deliveries.query.ts';
import { addBacklog } from '../../support/webhooks/backlog.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const OK = { durationMs: 1, statusCode: 200, error: null, ip: null, bodyStart: null };

const claimOne = () => createClaims(database.pool).firstAttempts(1);

async function settle(): Promise<void> {
  while ((await closeDeliveries(database.pool)) > 0);
}

const closings: Record<string, () => Promise<unknown>> = {
  'is closed': settle,
  'is claimed for a closed endpoint': claimOne,
};

for (const [name, closeIt] of Object.entries(closings)) {
  test.serial(`a delivery that ${name} keeps the attempt that was interrupted`, async (t) => {
    const endpointId = await addBacklog(testDatabase, { count: 1 });
    const setDisabled = (at: string) =>
      testDatabase.query(`update webhook_endpoint set disabled_at = ${at} where id = $1`, [
        endpointId,
      ]);
    const attempts = () =>
      testDatabase.query(
        `select a.run, a.step, status_code, a.error, was_interrupted, status from delivery_now d
         join attempt a on a.delivery_id = d.id where endpoint_id = $1`,
        [endpointId],
      );
    t.is((await claimOne()).deliveries.length, 1);
    await testDatabase.advance(31_000);
    await setDisabled('gatehouse_now()');
    await closeIt();
    const interrupted = { run: 1, step: 0, was_interrupted: true };
    const lost = { status_code: null, error: 'reset', status: 'held' };
    t.deepEqual(await attempts(), [{ ...interrupted, ...lost }]);

    // Recovered, the same step goes out again.
    await setDisabled('null');
    await testDatabase.query(
      `update delivery_state set status = 'pending', due_at = gatehouse_now() where endpoint_id = $1`,
      [endpointId],
    );
    const [delivery] = (await claimOne()).deliveries;
    t.is(await recordOutcomes(database.pool, [{ delivery: delivery!, outcome: OK }]), 1);
    const arrived = { status_code: 200, error: null, status: 'succeeded' };
    t.deepEqual(await attempts(), [{ ...interrupted, ...arrived }]);
  });
}
