// A small month that is over, in two currencies, after a month that is paid and has changed since.
import { poolPeriodWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { reviewPeriod } from '../../../domain/pool/review/review-period.repository.ts';
import { approvePeriod } from '../../../domain/pool/period/approve-period.repository.ts';
import { finishPeriod, openPeriods } from '../../../domain/pool/period/period.repository.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { ENTITIES } from '../../../domain/entities.ts';
import { openDatabase, type Database } from '../../../platform/database/database.ts';
import type { Processor } from '../../../clients/processor/processor.ts';
import { openReadyAccount } from '../../../packages/simulator/onboard.ts';
import type { TestDatabase } from '../../support/engines/database.ts';
import { addPayoutAccount, createAttempts, settle } from '../../support/pool/payouts.ts';
import { monthsAgo } from '../../support/pool/pool-facts.ts';
import { createPoolScene } from '../../support/pool/pool-scene.ts';
import { createRandom, type Random } from '../random.ts';

export const OPERATOR = 'chief';
/** Members, by the currency that they pay in. */
const MEMBERS = { USD: 25, EUR: 15 };
const CURRENCIES = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[];
const [BEFORE, MONTH] = [monthsAgo(2), monthsAgo(1)];
export const PERIODS = CURRENCIES.map((currency) => `${MONTH}:${currency}`);

type Scene = ReturnType<typeof createPoolScene>;
type Place = { testDatabase: TestDatabase; processor: Processor };

/** Writes the facts; the periods of the month that is over are open, and their workflows are due. */
export async function writeFacts({ testDatabase, processor }: Place): Promise<void> {
  const { url, query } = testDatabase;
  const database = openDatabase({ url, listenUrl: url, name: 'chaos', entities: ENTITIES });
  try {
    const scene = createPoolScene({ testDatabase, database });
    const operatorId = await scene.addPerson();
    await query(`update person set is_operator = true, handle = $2 where id = $1`, [
      operatorId,
      OPERATOR,
    ]);
    const products = await addTeams(scene, { processor, operatorId });
    const random = createRandom(1);
    const paid = await payAndUse(scene, { products, random });
    for (const currency of CURRENCIES) {
      await payOut(scene, { database, currency, operatorId });
    }
    await changeLater(scene, { paid, productId: products[0]! });
    // What the month before told its workflows is over.
    await query(`delete from outbox`);
    const opened = await database.transaction((em) => openPeriods(em, scene.encryptor));
    if (PERIODS.some((id) => !opened.includes(id))) throw new Error(`only ${opened} were opened`);
  } finally {
    await database.close();
  }
}

type Setting = { processor: Processor; operatorId: string };

/** Six products of four teams: one product is held, and one team has no account. */
async function addTeams(
  { addTeam, addIncluded, query }: Scene,
  { processor, operatorId }: Setting,
): Promise<string[]> {
  const [first, second, third, fourth] = [
    await addTeam(),
    await addTeam(),
    await addTeam(),
    await addTeam(),
  ];
  for (const [index, teamId] of [first, second, third].entries()) {
    const account = await openReadyAccount(processor, `team-${index}@example.com`);
    await addPayoutAccount({ query }, { teamId, account, confirmedBy: operatorId });
  }
  const products: string[] = [];
  for (const teamId of [first, first, second, second, third, fourth]) {
    products.push((await addIncluded({ teamId })).productId);
  }
  await query(
    `insert into pool_hold (id, product_id, reason, held_by) values ($1, $2, 'A farm?', $3)`,
    [newUuid(), products[3], operatorId],
  );
  return products;
}

type Paid = { personId: string; paymentId: string; currency: string };

/** Everybody pays in both months; every eighth Member uses nothing. */
async function payAndUse(
  { pay, use }: Scene,
  { products, random }: { products: string[]; random: Random },
): Promise<Paid[]> {
  const paid: Paid[] = [];
  for (const currency of CURRENCIES) {
    for (let number = 0; number < MEMBERS[currency]; number += 1) {
      const charged = await pay({ month: BEFORE, currency });
      const { personId } = charged;
      paid.push({ ...charged, currency });
      await pay({ month: MONTH, currency, personId });
      if (number % 8 === 7) continue;
      for (const productId of products.filter(() => random.next() < 0.5)) {
        for (const month of [BEFORE, MONTH]) {
          await use(personId, { productId, month, mask: daysOf(random) });
        }
      }
    }
  }
  return paid;
}

function daysOf(random: Random): number {
  const places = Array.from({ length: 28 }, (_, place) => place);
  return places.reduce((mask, place) => (random.next() < 0.4 ? mask | (1 << place) : mask), 1);
}

/** The month before, as the platform pays it. */
async function payOut(
  { close, query }: Scene,
  { database, currency, operatorId }: { database: Database; currency: string; operatorId: string },
): Promise<void> {
  const periodId = await close(BEFORE, currency);
  await reviewPeriod(database, periodId);
  await database.transaction((em) => approvePeriod(em, { periodId, byId: operatorId }));
  await settle(database, periodId);
  const { pay } = createAttempts(database);
  const payouts = await query<{ id: string }>(`select id from pool_payout where period_id = $1`, [
    periodId,
  ]);
  for (const { id } of payouts) await pay(id);
  if (!(await finishPeriod(database.em(), periodId))) throw new Error(`${periodId} is not paid`);
}

/** Money goes back, and evidence is excluded: corrections of the month that is paid. */
async function changeLater(
  { returnMoney, exclude, query }: Scene,
  { paid, productId }: { paid: Paid[]; productId: string },
): Promise<void> {
  const inDollars = paid.filter(({ currency }) => currency === 'USD');
  await returnMoney(inDollars[0]!.paymentId, 999);
  await returnMoney(inDollars[1]!.paymentId, 400);
  const users = await query<{ person_id: string }>(
    `select person_id from usage_month where product_id = $1 and month = $2 order by person_id`,
    [productId, `${BEFORE}-01`],
  );
  const isUser = (id: string) => users.some(({ person_id: userId }) => userId === id);
  const used = paid.find(({ personId, currency }) => currency === 'EUR' && isUser(personId));
  await exclude(used!.personId, { productId, month: BEFORE });
}

export const workflowOf = (periodId: string) => poolPeriodWorkflow(periodId).workflowId;
