import { now, type Database, type EntityManager } from '../../platform/database/database.ts';
import { anyOf } from '../../platform/database/expressions.ts';
import { kysely } from '../kysely.ts';
import { DAY_MS, toDay } from '../shared/instant.ts';

const DAYS = 30;
const PAGE = 500;
/** The first run of upkeep after this time of the day, in UTC, rates; one that was missed waits a day. */
const AT_MINUTE = 3 * 60;
const EVERY_MINUTES = 10;

/** Rates listed products by the people who used them, once a night: few rows change. */
export async function ratePopularityNightly(database: Database): Promise<void> {
  const at = await now(database.em());
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes();
  if (minute >= AT_MINUTE && minute < AT_MINUTE + EVERY_MINUTES) await ratePopularity(database);
}

/** Writes the popularity of each listed product, page by page. */
export async function ratePopularity(database: Database): Promise<void> {
  const at = await now(database.em());
  let after: string | null = null;
  do after = await ratePage(database.em(), { at, after });
  while (after !== null);
}

type Place = { at: Date; after: string | null };

/** Returns the last product of the page; null where no other follows. */
async function ratePage(em: EntityManager, { at, after }: Place): Promise<string | null> {
  const listed = await kysely(em)
    .selectFrom('productSearch')
    .select(['productId', 'popularity'])
    .$if(after !== null, (rows) => rows.where('productId', '>', after!))
    .orderBy('productId')
    .limit(PAGE)
    .execute();
  await rate(em, { at, listed });
  return listed.length < PAGE ? null : listed.at(-1)!.productId;
}

/** Writes the popularity of a product that is listed again: its row of the search is new. */
export async function rateProduct(em: EntityManager, productId: string): Promise<void> {
  const listed = await kysely(em)
    .selectFrom('productSearch')
    .select(['productId', 'popularity'])
    .where('productId', '=', productId)
    .execute();
  await rate(em, { at: await now(em), listed });
}

type Rated = { at: Date; listed: readonly { productId: string; popularity: number }[] };

async function rate(em: EntityManager, { at, listed }: Rated): Promise<void> {
  const people = await countPeople(em, {
    at,
    productIds: listed.map(({ productId }) => productId),
  });
  const changed = listed
    .map(({ productId, popularity }) => {
      const rated = decidePopularity(people.get(productId) ?? 0);
      return { productId, rated, isChanged: rated !== popularity };
    })
    .filter(({ isChanged }) => isChanged);
  for (const [popularity, products] of Map.groupBy(changed, ({ rated }) => rated)) {
    await kysely(em)
      .updateTable('productSearch')
      .set({ popularity })
      .where('productId', '=', anyOf(products.map(({ productId }) => productId)))
      .execute();
  }
}

/** The logarithm to the base of 2, so that only a multiple of people moves a product. */
export function decidePopularity(people: number): number {
  return Math.floor(Math.log2(people + 1));
}

type Counted = { at: Date; productIds: readonly string[] };

/** The people with a qualified day in the last 30, today included, by product. */
async function countPeople(em: EntityManager, { at, productIds }: Counted) {
  const found = await kysely(em)
    .selectFrom('usageMonth')
    .select('productId')
    .select(({ fn }) => fn.count<number>('personId').distinct().as('people'))
    .where('productId', '=', anyOf(productIds))
    .where(({ and, eb, or }) =>
      or(
        [...masksOf(at)].map(([month, mask]) =>
          and([eb('month', '=', month), eb(eb('qualifyingDays', '&', mask), '<>', 0)]),
        ),
      ),
    )
    .groupBy('productId')
    .execute();
  return new Map(found.map(({ productId, people }) => [productId, people]));
}

/** The last days as masks, by the first day of their month. */
function masksOf(at: Date): Map<string, number> {
  const masks = new Map<string, number>();
  for (let ago = 0; ago < DAYS; ago += 1) {
    const day = toDay(new Date(at.getTime() - ago * DAY_MS));
    const month = `${day.slice(0, 7)}-01`;
    masks.set(month, (masks.get(month) ?? 0) | (1 << (Number(day.slice(8)) - 1)));
  }
  return masks;
}
