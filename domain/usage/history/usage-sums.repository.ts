// Days that are over are summed once, product by product, with the month up to them.
import {
  LOCK,
  now,
  type Database,
  type EntityManager,
} from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { UsageMonth } from '../usage-month.entity.ts';
import { dayAfter, earlier, firstDayOf, lastDayOf, monthOfDay } from './calendar.ts';
import { UsageClosedDay, UsageDaySum, UsageMonthSum } from './usage-sum.entity.ts';
import { countClosedDay, detachEvidence } from './usage-sums.query.ts';
import { DAY_MS, MINUTE_MS, toDay } from '../../shared/instant.ts';

/** Statements that began before midnight have ended by then. */
const SETTLED_MS = 5 * MINUTE_MS;
/** The pool reads the evidence of a month for three days after its end. */
const READ_MS = 4 * DAY_MS;
const BATCH = 5_000;
/** The months before the running one, as `drop_partition` keeps them. */
const MONTHS_KEPT = 26;

/**
 * Sums the next product of the oldest day that is over, or closes the day after its last product;
 * null when every such day is closed.
 */
export async function sumNextProduct(database: Database): Promise<'summed' | 'closed' | null> {
  const next = await database.transaction(findNext);
  if (next === null) return null;
  const { day, productId } = next;
  if (productId === null) return 'closed';
  // What is counted is over: it needs no transaction, which would stay open for as long.
  const counted = await countClosedDay(database.pool, { productId, day });
  await database.transaction(async (em) => {
    const open = await em.findOneOrFail(UsageClosedDay, { day }, LOCK);
    if (open.throughProduct !== next.throughProduct) return; // another call summed it meanwhile
    await keepSum(em, { productId, counted });
    open.throughProduct = productId;
  });
  return 'summed';
}

async function findNext(em: EntityManager) {
  const open = await loadOpenDay(em);
  if (open === null) return null;
  const { day, throughProduct } = open;
  const productId = await findNextProduct(em, open);
  if (productId === null) open.finishedAt = await now(em);
  return { day, throughProduct, productId };
}

/** The day that is being summed, or the next one; null when that is not over. */
async function loadOpenDay(em: EntityManager) {
  const [last] = await em.find(UsageClosedDay, {}, { orderBy: { day: 'desc' }, limit: 1 });
  if (last?.finishedAt === null) return last;
  const over = toDay(new Date((await now(em)).getTime() - SETTLED_MS - DAY_MS));
  const next = last ? dayAfter(last.day) : await findFirstDay(em);
  if (next === null || next > over) return null;
  const isUsed = (await findNextProduct(em, { day: next, throughProduct: null })) !== null;
  // A month without evidence is closed as one.
  const day = isUsed ? next : earlier(lastDayOf(monthOfDay(next)), over);
  return em.create(UsageClosedDay, { day, throughProduct: null, finishedAt: null });
}

/** A platform that sums for the first time begins with the month of its first evidence. */
async function findFirstDay(em: EntityManager): Promise<string | null> {
  const [first] = await em.find(UsageMonth, {}, { orderBy: { month: 'asc' }, limit: 1 });
  return first?.month ?? null;
}

type Open = { day: string; throughProduct: string | null };

async function findNextProduct(em: EntityManager, { day, throughProduct }: Open) {
  const used = kysely(em)
    .selectFrom('usageMonth')
    .select('productId')
    .where('month', '=', firstDayOf(monthOfDay(day)));
  const next = await (throughProduct === null ? used : used.where('productId', '>', throughProduct))
    .orderBy('productId')
    .limit(1)
    .executeTakeFirst();
  return next?.productId ?? null;
}

type Sum = { productId: string; counted: Awaited<ReturnType<typeof countClosedDay>> };

async function keepSum(em: EntityManager, { productId, counted }: Sum): Promise<void> {
  const { added } = counted;
  const { day, people, reasons, sources } = counted.day;
  const members = counted.day.members ?? 0;
  if (people > 0) {
    em.create(UsageDaySum, {
      productId,
      day,
      people,
      members,
      qualified: reasons.qualified,
      ownTeam: reasons.own_team,
      sessionOnly: reasons.session_only,
      noPersonToken: reasons.no_person_token,
      sessions: sources.session,
      heartbeats: sources.heartbeat,
      activities: sources.activity,
      profileReads: sources.profile_read,
      byKey: sources.by_key,
    });
  }
  const ofMonth = { productId, month: firstDayOf(monthOfDay(day)) };
  const sum =
    (await em.findOne(UsageMonthSum, ofMonth)) ??
    em.create(UsageMonthSum, { ...ofMonth, through: day, ...NOTHING });
  sum.through = day;
  sum.people += added.people;
  sum.returning += added.returning;
  sum.members += added.members;
  sum.qualifiedDays += reasons.qualified;
  sum.memberDays += members;
}

const NOTHING = { people: 0, returning: 0, members: 0, qualifiedDays: 0, memberDays: 0 };

/** One batch of days of whole months, as their evidence is dropped; true when more wait. */
export async function removeOldSums(em: EntityManager): Promise<boolean> {
  const firstKept = firstDay(await now(em), MONTHS_KEPT);
  const removed = await kysely(em)
    .deleteFrom('usageDaySum')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('productId', 'day'),
        'in',
        selectFrom('usageDaySum')
          .select(['productId', 'day'])
          .where('day', '<', firstKept)
          .orderBy('day')
          .limit(BATCH)
          .$asTuple('productId', 'day'),
      ),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows) === BATCH;
}

/** One batch of deleted accounts whose evidence is left without them; true when more may wait. */
export async function detachDeletedPeople({ em, pool }: Database): Promise<boolean> {
  const readBefore = new Date((await now(em())).getTime() - READ_MS);
  return detachEvidence(pool, { through: monthOfDay(firstDay(readBefore, 1)) });
}

/** The first day of the month so many months before. */
function firstDay(at: Date, monthsBefore: number): string {
  return toDay(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - monthsBefore)));
}
