// A year of the creator pool: Members pay and use, and their money comes back at any moment.
import {
  holdPoolProduct,
  releasePoolProduct,
  excludeEvidence,
} from '../../../../domain/pool/review/decisions.repository.ts';
import { readPeriodId } from '../../../../domain/pool/period/pool-month.ts';
import { openReadyAccount } from '../../../../packages/simulator/onboard.ts';
import { createRandom } from '../../../chaos/random.ts';
import { openStage, type Stage } from '../../engines/worker.ts';
import { startShop, type Shop } from '../../purchases/simulator.ts';
import { addPayoutAccount } from '../payouts.ts';
import { firstDays } from '../pool-facts.ts';
import { addOperator } from '../pool-periods.ts';
import { createPoolScene } from '../pool-scene.ts';
import { createArrivals, type Arrived } from './arrivals.ts';
import { createReturnedFees } from './returned-fees.ts';

export const FEE_MINOR = 4_900;
const MEMBERS = 8;
const MOST_DAYS = 20;

export type PoolYear = Awaited<ReturnType<typeof openPoolYear>>;

type Given = { currency: string; arrive: (arrived: Arrived) => Promise<void> };

/** Two products of a team, one of a lone builder, and one of a builder without a payout account. */
export async function openPoolYear({ currency, arrive }: Given) {
  const shop = await startShop();
  const stage = await openStage({
    taskQueues: ['upkeep', 'money'],
    processor: shop.processor,
    testDatabase: shop.database,
    activities: createArrivals(arrive),
  });
  stage.startPublisher();
  await stage.startWorkers();
  const { database } = stage;
  const { query } = stage.testDatabase;
  const scene = createPoolScene(stage);
  const operator = await addOperator(stage);
  const open = (owner: Owner) =>
    openAccount(stage, { shop, owner, confirmedBy: operator.personId });
  const { products, second, late } = await addProducts(scene, open);
  const people = await Promise.all(Array.from({ length: MEMBERS }, () => scene.addPerson()));
  const random = createRandom(1);
  const held = { productId: second.productId, byId: operator.personId };
  return {
    stage,
    scene,
    operator,
    products,
    people,
    ...createReturnedFees(stage),

    /** Everybody pays for the month; all but the last use some products. Returns the charges. */
    async payAndUse(periodId: string): Promise<string[]> {
      const { month } = readPeriodId(periodId);
      await query('select make_partitions()');
      const charges: string[] = [];
      for (const personId of people) {
        const { paymentId } = await scene.pay({ month, currency, personId, grossMinor: FEE_MINOR });
        charges.push(paymentId);
        if (personId === people.at(-1)) continue;
        for (const productId of products) {
          if (random.next() < 0.3) continue;
          const mask = firstDays(1 + Math.floor(random.next() * MOST_DAYS));
          await scene.use(personId, { productId, month, mask });
        }
      }
      return charges;
    },

    hold: () => database.transaction((em) => holdPoolProduct(em, { ...held, reason: 'A farm?' })),
    release: () => database.transaction((em) => releasePoolProduct(em, held)),
    openLateAccount: () => open({ personId: late.personId! }),
    exclude: (periodId: string) => exclude(stage, { periodId, productId: products[0]!, operator }),

    async close(): Promise<void> {
      await stage.close();
      await shop.close();
    },
  };
}

type Scene = ReturnType<typeof createPoolScene>;

async function addProducts(scene: Scene, open: (owner: Owner) => Promise<void>) {
  const teamId = await scene.addTeam();
  const [first, second] = [
    await scene.addIncluded({ teamId }),
    await scene.addIncluded({ teamId }),
  ];
  const [lone, late] = [await scene.addIncluded(), await scene.addIncluded()];
  await open({ teamId });
  await open({ personId: lone.personId! });
  const products = [first, second, lone, late].map(({ productId }) => productId);
  return { products, second, late };
}

type Owner = { personId: string } | { teamId: string };

async function openAccount(
  { testDatabase }: Stage,
  { shop, owner, confirmedBy }: { shop: Shop; owner: Owner; confirmedBy: string },
): Promise<void> {
  const account = await openReadyAccount(shop.processor, 'creator@example.com');
  await addPayoutAccount(testDatabase, { ...owner, account, confirmedBy });
}

/** Somebody's days of a month on a product where there are any. */
async function exclude(
  { testDatabase, database }: Stage,
  given: { periodId: string; productId: string; operator: { personId: string } },
): Promise<void> {
  const { periodId, productId, operator } = given;
  const month = `${readPeriodId(periodId).month}-01`;
  const [used] = await testDatabase.query<{ personId: string; productId: string }>(
    `select person_id as "personId", product_id as "productId" from usage_month
     where month = $1 and product_id = $2 order by person_id limit 1`,
    [month, productId],
  );
  const exclusion = { ...used!, month, reason: 'A farm.', byId: operator.personId };
  const refused = await excludeEvidence(database.em(), exclusion);
  if (refused) throw new Error(refused.refused);
}
