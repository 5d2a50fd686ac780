import type { NotNull } from 'kysely';
import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';
import type { SubscriptionStatus } from '../recurring/status-moves.ts';

/** A subscription as its seller sees it. */
export type Subscriber = Awaited<ReturnType<typeof listSubscribers>>['subscribers'][number];

export type SubscriberSearch = {
  productId: string;
  status: SubscriptionStatus | null;
  /** Subscriptions that began before this one. */
  before: string | null;
  limit: number;
};

/** Paid subscriptions, the latest first. */
export function selectSubscribers(em: EntityManager, search: SubscriberSearch) {
  const { productId, status, before, limit } = search;
  const db = kysely(em);
  const page = db
    .selectFrom('subscription as s')
    .selectAll('s')
    .where('s.productId', '=', productId)
    .where('s.beganAt', 'is not', null)
    .$if(status !== null, (query) => query.where('s.status', '=', status!))
    .$if(before !== null, (query) =>
      query.where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('s.beganAt', 's.id'),
          '<',
          selectFrom('subscription')
            .select(['beganAt', 'id'])
            .where('productId', '=', productId)
            .where('id', '=', before!)
            .$asTuple('beganAt', 'id'),
        ),
      ),
    )
    .orderBy('s.beganAt', 'desc')
    .orderBy('s.id', 'desc')
    .limit(limit);
  return db
    .selectFrom(page.as('s'))
    .innerJoin('person as o', 'o.id', 's.personId')
    .select(['s.id as subscriptionId', 's.purchaseId', 'o.handle', 's.status'])
    .select(['s.requestedChange', 's.amountMinor', 's.currency', 's.billingInterval'])
    .select(['s.beganAt', 's.periodEnd', 's.graceEndsAt', 's.cancelAt', 's.endedAt'])
    .$narrowType<{ beganAt: NotNull }>()
    .orderBy('s.beganAt', 'desc')
    .orderBy('s.id', 'desc');
}

const PAGE = 50;

/** A page of a product's subscriptions; `next` is the id of the last one when others follow. */
export async function listSubscribers(em: EntityManager, search: Omit<SubscriberSearch, 'limit'>) {
  const found = await selectSubscribers(em, { ...search, limit: PAGE + 1 }).execute();
  const { lines, next } = toPage(found, PAGE, ({ subscriptionId }) => subscriptionId);
  return { subscribers: lines, next };
}

/** More subscriptions of a status are not counted. */
export const MOST_COUNTED = 10_000;

export type SubscriberCounts = Awaited<ReturnType<typeof countSubscribers>>;

/** Counts the paid subscriptions of a product by their status, each in its stretch of an index. */
export async function countSubscribers(em: EntityManager, productId: string) {
  const count = (status: SubscriptionStatus) =>
    kysely(em)
      .selectFrom(
        kysely(em)
          .selectFrom('subscription')
          .select('subscription.id')
          .where('subscription.productId', '=', productId)
          .where('subscription.status', '=', status)
          .where('subscription.beganAt', 'is not', null)
          .limit(MOST_COUNTED)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .$asScalar()
      .$notNull();
  const { pastDue, ...others } = await kysely(em)
    .selectNoFrom([
      count('active').as('active'),
      count('past_due').as('pastDue'),
      count('canceling').as('canceling'),
      count('ended').as('ended'),
    ])
    .executeTakeFirstOrThrow();
  return { ...others, past_due: pastDue };
}

const BATCH = 1_000;

/** Reads all subscriptions batch by batch: a slow reader keeps no transaction open. */
export async function* readSubscribers(
  em: () => EntityManager,
  search: Omit<SubscriberSearch, 'limit' | 'before'>,
): AsyncGenerator<Subscriber[]> {
  let before: string | null = null;
  for (;;) {
    const next = selectSubscribers(em(), { ...search, before, limit: BATCH });
    const found: Subscriber[] = await next.execute();
    yield found;
    if (found.length < BATCH) return;
    before = found.at(-1)!.subscriptionId;
  }
}
