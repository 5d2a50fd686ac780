import test from 'ava';
import { readSealFigures } from '../../../domain/seal/figures.query.ts';
import { reviewedDays, weekOf } from '../../../domain/seal/review-week.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { now } from '../../../platform/database/database.ts';
import { addProduct } from '../../support/catalog/scene.ts';
import { addEvidence } from '../../support/catalog/seals.ts';
import { openTestDatabase } from '../../support/engines/database.ts';
import { createSales } from '../../support/purchases/sales.ts';
import { createIntegrationRecorder } from '../../../domain/seal/integration-counts.repository.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const { query } = testDatabase;

/** The figures of one product, as of this week. */
async function read(productId: string) {
  const week = weekOf(await now(database.em()));
  const figures = await readSealFigures(database.pool, {
    productIds: [productId],
    ...reviewedDays(week),
  });
  return figures.get(productId)!;
}

test.serial('evidence is counted by person, week and day, within 90 days', async (t) => {
  const { productId } = await addProduct(testDatabase);
  const add = (daysBefore: number[], people = 1, isQualifying = true) =>
    addEvidence(testDatabase, { productId, people, daysBefore, isQualifying });
  await add([1, 7], 2); // Sunday and Monday of one week
  await add([7, 8], 3); // Monday and the Sunday before it
  await add([1, 2, 3, 4, 5, 6]);
  await add([90]);
  await add([91, 0], 5); // both are outside
  await add([10, 20], 7, false);
  t.like(await read(productId), {
    people: 7,
    returningPeople: 3,
    days: 17,
    daysOfLargest: 6,
    daysOfFive: 14,
  });
});

test.serial('own people and whoever was given access are left out', async (t) => {
  const { productId, personId } = await addProduct(testDatabase);
  await addEvidence(testDatabase, { productId, personId, daysBefore: [1, 10] });
  const given = await addProduct(testDatabase);
  await addEvidence(testDatabase, { productId, personId: given.personId, daysBefore: [1, 10] });
  const gone = await addProduct(testDatabase);
  await addEvidence(testDatabase, { productId, personId: gone.personId, daysBefore: [1, 10] });
  const grant = (to: string, ended: string | null) =>
    query(
      `insert into access_grant (id, product_id, person_id, type, source, starts_at, withdrawn_at)
       values ($1::uuid, $2, $3, 'complimentary', 'grant_' || $1::uuid, gatehouse_now() - interval '1 year',
         gatehouse_now() - $4::interval)`,
      [newUuid(), productId, to, ended],
    );
  await grant(given.personId, null);
  await grant(gone.personId, '200 days');
  t.like(await read(productId), { people: 1, returningPeople: 1, days: 2 });

  const teamId = newUuid();
  await query(`insert into team (id, name) values ($1, 'T')`, [teamId]);
  await query(`update product set owner_person_id = null, owner_team_id = $2 where id = $1`, [
    productId,
    teamId,
  ]);
  await query(`insert into team_member (team_id, person_id, role) values ($1, $2, 'viewer')`, [
    teamId,
    gone.personId,
  ]);
  t.like(await read(productId), { people: 1, days: 2 }, 'the former owner is a customer now');
});

test.serial('charges, refunds, lost chargebacks and integration counts are read', async (t) => {
  const sales = createSales({ testDatabase, database });
  const { personId } = await addProduct(testDatabase);
  const sale = await sales.paidSale({ ...(await addProduct(testDatabase)), personId });
  const own = await sales.paidSale();
  const { productId } = sale;
  const at = `gatehouse_now() - interval '8 days'`;
  await query(`update payment set created_at = ${at}`);
  t.like(await read(productId), { charges: 1, refundedCharges: 0, lostChargebacks: 0 });
  t.like(await read(own.productId), { charges: 0 }, 'own people are no customers');
  await sales.tell(sale, [{ amountMinor: 700 }]);
  t.like(await read(productId), { charges: 1, refundedCharges: 1, lostChargebacks: 0 });
  await query(
    `insert into dispute (id, payment_id, processor_id, amount_minor, currency, reason, status,
       sequence, settled_at)
     select 'dp_' || n, payment.id, 'du_' || n, 1200, 'USD', 'fraudulent',
       case when n = 1 then 'lost' else 'won' end, 1, ${at}
     from generate_series(1, 2) n, payment join purchase on purchase.id = purchase_id
     where product_id = $1`,
    [productId],
  );
  t.like(await read(productId), { lostChargebacks: 1 });
  await query(
    `insert into integration_count (product_id, day, first_attempts, first_successes, callbacks, tokens)
     select $1, (gatehouse_now() at time zone 'UTC')::date - before, 10, 9, 8, 7
     from unnest(array[7, 8, 89, 98]) before`,
    [productId],
  );
  t.like(await read(productId), {
    firstAttempts: 30,
    firstSuccesses: 27,
    callbacks: 24,
    tokens: 21,
  });
});

const countsOf = (productId: string) =>
  query(
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
