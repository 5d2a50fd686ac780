import test from 'ava';
import { createIntegrationRecorder } from '../../../domain/seal/integration-counts.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { openTestDatabase } from '../../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const countsOf = (productId: string) =>
  testDatabase.query(
    `select first_attempts, first_successes, callbacks, tokens from integration_count
     where product_id = $1 order by day`,
    [productId],
  );

const open = (warn = (): void => undefined) => createIntegrationRecorder(database, { warn });

test('counts of several processes are added up by product and day', async (t) => {
  const [one, other] = [newUuid(), newUuid()];
  const recorders = [open(), open(), open()];
  for (const recorder of recorders) {
    for (let n = 0; n < 100; n += 1) {
      recorder.noteFirstAttempt(one, n > 0);
      recorder.noteCallback(other);
      if (n > 1) recorder.noteToken(other);
    }
  }
  await Promise.all(recorders.map((recorder) => recorder.close()));
  t.deepEqual(await countsOf(one), [
    { first_attempts: 300, first_successes: 297, callbacks: 0, tokens: 0 },
  ]);
  t.deepEqual(await countsOf(other), [
    { first_attempts: 0, first_successes: 0, callbacks: 300, tokens: 294 },
  ]);
});

test('whatever a process sees within a second is one statement', async (t) => {
  let statements = 0;
  const counting = {
    em() {
      statements += 1;
      return database.em();
    },
  };
  const recorder = createIntegrationRecorder(counting, { warn: () => undefined });
  const products = Array.from({ length: 50 }, newUuid);
  for (const productId of products) recorder.noteCallback(productId);
  t.is(statements, 0, 'no caller waits for it');
  await recorder.close();
  t.is(statements, 1);
  t.is((await countsOf(products[49]!)).length, 1);
});

test('counts that cannot be written are told of, and harm nobody', async (t) => {
  let warnings = 0;
  const unreachable = {
    em: () => {
      throw new Error('unreachable');
    },
  };
  const recorder = createIntegrationRecorder(unreachable, { warn: () => (warnings += 1) });
  recorder.noteCallback(newUuid());
  await recorder.close();
  t.is(warnings, 1);
});
