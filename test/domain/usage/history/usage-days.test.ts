import test from 'ava';
import { Membership } from '../../../../domain/entitlements/memberships/membership.entity.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import {
  dayAfter,
  firstDayOf,
  lastDayOf,
  monthOfDay,
  placeOf,
} from '../../../../domain/usage/history/calendar.ts';
import { readMonthOfUse } from '../../../../domain/usage/history/usage-days.repository.ts';
import { readQualifiedDays } from '../../../../domain/usage/history/usage-sums.query.ts';
import {
  detachDeletedPeople,
  removeOldSums,
  sumNextProduct,
} from '../../../../domain/usage/history/usage-sums.repository.ts';
import { createUsageRecorder } from '../../../../domain/usage/usage-recorder.command.ts';
import {
  dropPartition,
  makePartitions,
} from '../../../../domain/retention/partitions.repository.ts';
import { now } from '../../../../platform/database/database.ts';
import { createSeed } from '../../../support/catalog/seed.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { toDay } from '../../../../domain/shared/instant.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query, advance } = testDatabase;
const seed = createSeed(database, []);
const recorder = createUsageRecorder(database.pool, { warn: () => undefined });
test.after.always(close);

const DAY_MS = 86_400_000;

const readClock = () => now(database.em());

async function goTo(instant: string) {
  await advance(Date.parse(instant) - (await readClock()).getTime());
  await database.transaction(makePartitions);
}

async function sumAll() {
  while ((await sumNextProduct(database)) !== null);
}

const read = async (productId: string, month: string) =>
  readMonthOfUse(database.em(), { productId, month, today: toDay(await readClock()) });

/** Reports at noon of a day that may be over, as if it had been that day. */
async function use(
  productId: string,
  personId: string,
  days: readonly string[],
  isOwnTeam = false,
) {
  for (const day of days) {
    const at = new Date(`${day}T12:00:00Z`);
    await recorder.recordByToken({ productId, personId, isOwnTeam, at }, 'activity');
  }
}

/** The next month, whatever its weekdays are. */
const start = new Date();
const MONTH = monthOfDay(
  toDay(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))),
);
const day = (number: number) => `${MONTH}-${String(number).padStart(2, '0')}`;

test.serial('a month is the same counted from its evidence and from its sums', async (t) => {
  await goTo(`${day(20)}T12:00:00Z`);
  const product = await seed.product();
  const [daily, once, owner] = [newUuid(), newUuid(), newUuid()];
  const member = await seed.person();
  const row = { id: newUuid(), personId: member.id, status: 'active', createdAt: start } as const;
  await database.em().insert(Membership, row);
  await use(product.id, daily, [1, 2, 3, 8, 9, 19, 20].map(day));
  await use(product.id, once, [day(5)]);
  await use(product.id, owner, [day(5), day(6)], true);
  await use(product.id, member.id, [day(18), day(19), day(20)]);
  const at = new Date(`${day(7)}T12:00:00Z`);
  await recorder.recordByToken(
    { productId: product.id, personId: once, isOwnTeam: false, at },
    'session',
  );
  const counted = await read(product.id, MONTH);
  t.like(counted, { people: 3, returning: 1 + returnsWithin([18, 20]), qualifiedDays: 11 });
  t.is(counted.days.length, 20);
  t.like(counted.days[4], {
    day: day(5),
    people: 2,
    members: null,
    reasons: { qualified: 1, own_team: 1 },
  });
  t.like(counted.days[6], { people: 1, reasons: { qualified: 0, session_only: 1 } });

  await sumAll();
  const summed = await read(product.id, MONTH);
  t.like(summed, { people: 3, returning: counted.returning, qualifiedDays: 11 });
  t.like(summed, { summedDays: 9, memberDays: 2, summedPeople: 3, members: 1 });
  const withoutMembers = (days: typeof summed.days) =>
    days.map(({ members: _members, ...rest }) => rest);
  t.deepEqual(withoutMembers(summed.days), withoutMembers(counted.days));
  t.deepEqual(
    [18, 19, 20].map((number) => summed.days[number - 1]!.members),
    [1, 1, null],
  );
});

/** Whether two days of the month lie in two ISO weeks. */
function returnsWithin([first, last]: [number, number]): number {
  for (let number = first + 1; number <= last; number += 1) {
    if (new Date(`${day(number)}T00:00:00Z`).getUTCDay() === 1) return 1;
  }
  return 0;
}

test.serial('today is counted live beside the sums, and each day is summed once', async (t) => {
  const product = await seed.product();
  const person = newUuid();
  await use(product.id, person, [day(20)]);
  t.like(await read(product.id, MONTH), { people: 1, returning: 0, qualifiedDays: 1 });
  await goTo(`${day(21)}T00:04:00Z`);
  t.is(await sumNextProduct(database), null, 'reports of the last minutes may be on their way');
  await goTo(`${day(21)}T00:06:00Z`);
  await sumAll();
  t.like(await read(product.id, MONTH), { people: 1, qualifiedDays: 1, summedDays: 1 });
  await use(product.id, newUuid(), [day(21)]);
  await use(product.id, person, [day(21)]);
  t.like(await read(product.id, MONTH), { people: 2, qualifiedDays: 3, summedDays: 1 });
  await sumAll();
  t.like(await read(product.id, MONTH), { people: 2, qualifiedDays: 3, summedDays: 1 });
});

test.serial('a day that closes while a month is read is not missing from it', async (t) => {
  const product = await seed.product();
  await use(product.id, newUuid(), [day(21)]);
  await goTo(`${day(22)}T00:06:00Z`);
  const em = database.em();
  const find = em.find.bind(em);
  let reads = 0;
  const closing: typeof em.find = async (...args) => {
    const found = await find(...args);
    if ((reads += 1) === 1) await sumAll();
    return found;
  };
  Object.assign(em, { find: closing });
  const today = day(22);
  const used = await readMonthOfUse(em, { productId: product.id, month: MONTH, today });
  t.like(used, { people: 1, qualifiedDays: 1, summedDays: 1 });
  t.like(used.days[20], { people: 1, reasons: { qualified: 1 } });
});

test.serial('calls that sum the same product at once count it once', async (t) => {
  const product = await seed.product();
  await use(product.id, newUuid(), [day(22)]);
  await goTo(`${day(23)}T00:06:00Z`);
  await Promise.allSettled([sumNextProduct(database), sumNextProduct(database)]);
  await sumAll();
  t.like(await read(product.id, MONTH), { people: 1, qualifiedDays: 1, summedDays: 1 });
});

test.serial('a Member counts once in a month, however often a membership begins', async (t) => {
  const product = await seed.product();
  const [person, guest] = [await seed.person(), newUuid()];
  const membership = (from: string, to: string | null) =>
    database.em().insert(Membership, {
      id: newUuid(),
      personId: person.id,
      status: to === null ? 'active' : 'ended',
      createdAt: new Date(from),
      endedAt: to === null ? null : new Date(to),
    });
  await membership(day(24), day(26));
  await membership(day(27), null);
  await use(product.id, person.id, [23, 24, 25, 26, 27].map(day));
  await use(product.id, guest, [day(24)]);
  await goTo(`${day(28)}T00:06:00Z`);
  await sumAll();
  const summed = await read(product.id, MONTH);
  t.like(summed, { people: 2, summedPeople: 2, members: 1, summedDays: 6, memberDays: 3 });
});

test.serial('the qualified days of a month are read person by person', async (t) => {
  const product = await seed.product();
  const people = Array.from({ length: 5 }, () => newUuid()).toSorted();
  for (const person of people) await use(product.id, person, [day(2), day(4)]);
  await recorder.recordByToken(
    {
      productId: product.id,
      personId: newUuid(),
      isOwnTeam: false,
      at: new Date(`${day(3)}T12:00:00Z`),
    },
    'session',
  );
  const found = [];
  for await (const batch of readQualifiedDays(() => database.em(), { month: MONTH, batch: 2 })) {
    t.true(batch.length <= 2);
    found.push(...batch.filter(({ productId }) => productId === product.id));
  }
  const mask = (1 << placeOf(day(2))) | (1 << placeOf(day(4)));
  t.deepEqual(
    found,
    people.map((personId) => ({ personId, productId: product.id, mask })),
  );
});

test.serial('evidence of a deleted account stays the days of one person, without it', async (t) => {
  const [one, other] = [await seed.product(), await seed.product()];
  const person = await seed.person();
  const next = dayAfter(lastDayOf(MONTH));
  await use(one.id, person.id, [day(28)]);
  const goInto = (month: string, days: number) =>
    goTo(new Date(Date.parse(month) + days * DAY_MS).toISOString());
  await goInto(next, 1);
  await use(other.id, person.id, [next]);
  await query('update person set deleted_at = gatehouse_now() where id = $1', [person.id]);
  const peopleOf = async () => {
    t.false(await detachDeletedPeople(database));
    const found = await query<{ id: string }>(
      'select person_id as id from usage_month where product_id = any($1)',
      [[one.id, other.id]],
    );
    return found.map(({ id }) => id);
  };
  await goInto(next, 5);
  t.deepEqual(
    await peopleOf(),
    [person.id, person.id],
    'the pool still reads the month of the end',
  );
  await goInto(dayAfter(lastDayOf(monthOfDay(next))), 4);
  const [first, second] = await peopleOf();
  t.not(first, person.id);
  t.is(first, second);
  t.like(await read(one.id, MONTH), { people: 1, qualifiedDays: 1 });
});

test.serial('evidence is dropped after 26 months, and never before it is summed', async (t) => {
  const product = await seed.product();
  const today = toDay(await readClock());
  await use(product.id, newUuid(), [today]);
  const month = monthOfDay(today);
  const drop = async () => {
    while (await database.transaction(dropPartition));
    return (await query('select from usage_month where product_id = $1', [product.id])).length;
  };
  const [ends] = await query<{ at: Date }>(
    `select ($1::date + interval '27 months') at time zone 'UTC' as at`,
    [firstDayOf(month)],
  );
  await goTo(new Date(ends!.at.getTime() - DAY_MS).toISOString());
  await sumAll();
  t.is(await drop(), 1);
  while (await database.transaction(removeOldSums));
  t.is((await read(product.id, month)).days.length, Number(lastDayOf(month).slice(8)));
  await query('delete from usage_closed_day where day >= $1', [lastDayOf(month)]);
  await goTo(new Date(ends!.at.getTime() + DAY_MS).toISOString());
  t.is(await drop(), 1);
  await query(`insert into usage_closed_day (day, finished_at) values ($1, gatehouse_now())`, [
    lastDayOf(month),
  ]);
  t.is(await drop(), 0);
  while (await database.transaction(removeOldSums));
  const left = await read(product.id, month);
  t.like(left, { people: 1, qualifiedDays: 1, days: [] });
});
