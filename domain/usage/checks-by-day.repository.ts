import { expressionBuilder, sql } from 'kysely';
import type { EntityManager } from '../../platform/database/database.ts';
import { ago, total } from '../../platform/database/expressions.ts';
import { kysely, type Tables } from '../kysely.ts';

// A page must not wait for counting millions: beyond this number it says so.
export const MOST_PEOPLE = 10_000;

/** Lists the live checks of a product by days in UTC, the newest first, days without checks included. */
export async function listChecksOfDays(
  em: EntityManager,
  { productId, days }: { productId: string; days: number },
) {
  return kysely(em)
    .selectFrom(lastDays(days))
    .crossJoinLateral(() => countChecks(productId).as('checked'))
    .select(['today.day', 'checked.people', 'checked.checks'])
    .orderBy('today.day', 'desc')
    .execute();
}

export type ChecksOfDay = Awaited<ReturnType<typeof listChecksOfDays>>[number];

type Today = { today: { day: string } };

function lastDays(days: number) {
  const { selectFrom } = expressionBuilder<Tables>();
  return selectFrom(({ fn, lit, val }) =>
    fn<{ ago: number }>('generate_series', [lit(0), val(days - 1)]).as('ago'),
  )
    .select(sql<string>`(gatehouse_now() at time zone 'UTC')::date - ago`.as('day'))
    .as('today');
}

function countChecks(productId: string) {
  const { selectFrom } = expressionBuilder<Tables & Today, 'today'>();
  const some = selectFrom('checkCount')
    .select('checkCount.checks')
    .where('checkCount.productId', '=', productId)
    .whereRef('checkCount.day', '=', 'today.day')
    .limit(MOST_PEOPLE);
  return selectFrom(some.as('some')).select(({ fn }) => [
    fn.countAll<number>().as('people'),
    total(fn.sum('some.checks')).as('checks'),
  ]);
}

type Mask = 'sessionDays' | 'heartbeatDays' | 'activityDays' | 'profileReadDays' | 'keyDays';

/**
 * Finds what was seen of a product's integration: requests as far back as their log goes, evidence of
 * this month and the last. Where there is none, all rows of these months are read.
 */
export async function findFirstCalls(em: EntityManager, productId: string) {
  const found = await kysely(em)
    .selectNoFrom(({ exists, selectFrom, or }) => {
      const answered = (route: string) =>
        exists(
          selectFrom('apiRequest')
            .select('id')
            .where('productId', '=', productId)
            .where('route', '=', route)
            .where('status', '=', 200),
        );
      const used = (...masks: Mask[]) =>
        exists(
          selectFrom('usageMonth')
            .select('month')
            .where('productId', '=', productId)
            .where('month', '>=', ago('2 months').$castTo<string>())
            .where(({ eb, or: any }) => any(masks.map((mask) => eb(mask, '<>', 0)))),
        );
      const checked = exists(
        selectFrom('checkCount').select('day').where('productId', '=', productId),
      );
      return [
        or([answered('GET /api/v1/entitlements'), checked])
          .$castTo<boolean>()
          .as('hasChecked'),
        or([answered('POST /api/oauth/token'), used('profileReadDays')])
          .$castTo<boolean>()
          .as('hasSignedIn'),
        or([
          answered('POST /api/v1/usage'),
          used('sessionDays', 'heartbeatDays', 'activityDays', 'keyDays'),
        ])
          .$castTo<boolean>()
          .as('hasReported'),
      ];
    })
    .executeTakeFirstOrThrow();
  return found;
}

export type FirstCalls = Awaited<ReturnType<typeof findFirstCalls>>;
