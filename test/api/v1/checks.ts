import test from 'ava';
import { addUpChecks } from '../../../domain/usage/check-count.query.ts';
import { createUsageRecorder } from '../../../domain/usage/usage-recorder.command.ts';
import { eventually } from '../../support/eventually.ts';
import { daysOf } from '../../support/catalog/usage.ts';
import { api, product } from './scene.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;

const startRecorder = () => createUsageRecorder(api.database.pool, { warn: () => undefined });

/** As the worker does now and then. */
async function addUp(most = 100) {
  while (await addUpChecks(api.database.pool, most));
}

async function checksOf({ productId, personId }: { productId: string; personId: string }) {
  await addUp();
  return api.test.query<{ checks: number; is_today: boolean }>(
    `select checks, day = (gatehouse_now() at time zone 'UTC')::date as is_today
     from check_count where product_id = $1 and person_id = $2`,
    [productId, personId],
  );
}

const check = (key: string, personId: string) =>
  api.request(`/api/v1/entitlements?user_id=${personId}`, {
    headers: { authorization: `Bearer ${key}` },
  });

test.serial(
  'the checks of a product are counted by day, and those of them that found access',
  async (t) => {
    const { id: productId, liveKey } = await api.seed.product();
    const [buyer, visitor] = await Promise.all([api.seed.person(), api.seed.person()]);
    await api.seed.grant({ productId, personId: buyer.id });
    for (const { id } of [buyer, buyer, buyer, visitor]) await check(liveKey, id);
    await check(liveKey, NOBODY);
    const count = async () => {
      await addUp();
      return api.test.query<{ checks: number }>(
        `select checks, open_checks from check_day
         where product_id = $1 and day = (gatehouse_now() at time zone 'UTC')::date`,
        [productId],
      );
    };
    const found = await eventually(count, ([row]) => row?.checks === 4);
    t.deepEqual(found, [{ checks: 4, open_checks: 3 }]);
  },
);

test.serial(
  'live checks are recorded as analytics and never qualify; those of test keys are not',
  async (t) => {
    const person = await api.seed.person();
    const key = { productId: product.id, personId: person.id };
    await Promise.all(Array.from({ length: 30 }, () => check(product.liveKey, person.id)));
    await check(product.testKey, person.id);
    await check(product.liveKey, NOBODY);
    const found = await eventually(
      () => checksOf(key),
      ([row]) => row?.checks === 30,
    );
    t.deepEqual(found, [{ checks: 30, is_today: true }]);
    t.deepEqual(await daysOf(api, key), []);
    await api.usage.close();
    t.deepEqual(await checksOf({ ...key, personId: NOBODY }), [], 'nobody is not kept');
  },
);

test.serial('what is still buffered is written when the process stops', async (t) => {
  const person = await api.seed.person();
  const key = { productId: product.id, personId: person.id };
  const recorder = startRecorder();
  recorder.countCheck({ ...key, isKnown: true, isOpen: true });
  recorder.countCheck({ productId: product.id, personId: NOBODY, isKnown: false, isOpen: false });
  await recorder.close();
  t.like((await checksOf(key))[0], { checks: 1 });
});

test.serial('checks of many processes are added up once, whoever adds up at once', async (t) => {
  const people = await Promise.all([api.seed.person(), api.seed.person()]);
  for (let process = 0; process < 60; process += 1) {
    const recorder = startRecorder();
    for (const { id: personId } of [...people, people[0]!])
      recorder.countCheck({ productId: product.id, personId, isKnown: true, isOpen: true });
    await recorder.close();
  }
  await Promise.all(Array.from({ length: 8 }, () => addUp(4)));
  const counts = people.map(({ id }) => checksOf({ productId: product.id, personId: id }));
  const found = (await Promise.all(counts)).flat();
  t.deepEqual(
    found.map(({ checks }) => checks),
    [120, 60],
  );
  t.deepEqual(await api.test.query('select 1 from check_batch'), []);
});

test.serial(
  'checks count for the day on which they were made, however late they are added up',
  async (t) => {
    const person = await api.seed.person();
    const recorder = startRecorder();
    recorder.countCheck({
      productId: product.id,
      personId: person.id,
      isKnown: true,
      isOpen: true,
    });
    await recorder.close();
    await api.test.advance(DAY_MS);
    t.like(await checksOf({ productId: product.id, personId: person.id }), [
      { checks: 1, is_today: false },
    ]);
  },
);

test.serial('a check is answered although its analytics cannot be written', async (t) => {
  const person = await api.seed.person();
  await api.test.query('alter table check_batch rename to check_batch_away');
  const lost: object[] = [];
  const recorder = createUsageRecorder(api.database.pool, {
    warn: (facts: object) => lost.push(facts),
  });
  recorder.countCheck({ productId: product.id, personId: person.id, isKnown: true, isOpen: true });
  t.is((await check(product.liveKey, person.id)).status, 200);
  await t.notThrowsAsync(recorder.close());
  await api.usage.close();
  await api.test.query('alter table check_batch_away rename to check_batch');
  t.deepEqual(lost, [{ lost: 1 }]);
});
